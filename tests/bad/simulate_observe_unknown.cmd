simulate {model} --time 1 --plot x.svg --observe hight
