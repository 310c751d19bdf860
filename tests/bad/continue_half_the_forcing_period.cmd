continue {model} --vary omega=1:2
