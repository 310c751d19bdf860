simulate {model} --time 5 --quiet
