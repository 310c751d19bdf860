response {model} --vary omega=1:2:10 --observe y
