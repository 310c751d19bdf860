simulate {model} --periods 3
