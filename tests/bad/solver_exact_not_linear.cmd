simulate {model} --time 1
