orbit {model} --time 6
