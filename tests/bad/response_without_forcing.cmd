response {model} --vary k=1:2:3
