hill {model} --chart
