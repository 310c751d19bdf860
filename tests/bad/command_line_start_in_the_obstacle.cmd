check {model} --set z=-1
