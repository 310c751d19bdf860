diagram {model} --vary x=-1:1:10 --periods 10 --direction both
