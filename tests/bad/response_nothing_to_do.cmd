response {model} --vary omega=1:2:10 --direction none
