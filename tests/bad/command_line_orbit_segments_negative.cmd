orbit {model} --segments -1
