response {model} --vary omega=1:2:3 --method tfem --elements 0
