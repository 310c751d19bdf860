diagram {model} --vary omga=1:2:10 --periods 10
