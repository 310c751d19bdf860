continue {model} --vary omega=1:2 --points -3
