orbit {model} --period 3 --iterations 1
