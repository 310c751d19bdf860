orbit {model} --residual 0
