response {model} --vary omega=1:2:3
