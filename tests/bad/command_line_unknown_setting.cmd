check {model} --set ee=1
