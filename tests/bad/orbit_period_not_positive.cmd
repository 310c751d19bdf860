orbit {model} --period 0
