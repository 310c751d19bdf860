diagram {model} --periods 10
