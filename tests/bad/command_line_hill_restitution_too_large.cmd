hill {model} --set epsilon=1.5
