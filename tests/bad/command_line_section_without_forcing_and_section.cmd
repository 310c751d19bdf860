section {model} --time 10
