orbit {model} --method tfem
