simulate {model} --time 1 --method exact
