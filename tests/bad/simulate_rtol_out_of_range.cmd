simulate {model} --time 1 --rtol 2
