diagram {model} --vary omega=1:2:5 --periods 5 --starts -1
