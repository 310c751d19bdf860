check {model} --set "e=1/(g"
