simulate {model} --time 1 --plot x.gif
