simulate {model} --time 10 --transient -1
