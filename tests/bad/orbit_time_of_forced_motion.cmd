orbit {model} --time 3
