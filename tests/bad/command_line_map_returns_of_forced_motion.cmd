map {model} --vary omega=1:2:10 --vary x=0:1:10 --returns 10
