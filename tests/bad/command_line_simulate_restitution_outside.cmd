simulate {model} --time 3
