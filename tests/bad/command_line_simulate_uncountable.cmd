simulate {model} --time 1e300
