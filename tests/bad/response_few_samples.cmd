response {model} --vary omega=1:2:10 --samples 3
