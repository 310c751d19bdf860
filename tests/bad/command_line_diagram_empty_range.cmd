diagram {model} --vary omega=1:1:10 --periods 10
