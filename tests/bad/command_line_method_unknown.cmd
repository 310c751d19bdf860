simulate {model} --time 1 --method euler
