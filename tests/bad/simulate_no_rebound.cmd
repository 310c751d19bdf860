simulate {model} --time 3 --quiet
