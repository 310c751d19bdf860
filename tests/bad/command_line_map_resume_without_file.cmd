map {model} --vary omega=1:2:2 --vary x=0:1:2 --periods 10 --resume
