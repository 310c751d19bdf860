simulate {model} --time 1 --plot x.svg --plot-kind configuration
