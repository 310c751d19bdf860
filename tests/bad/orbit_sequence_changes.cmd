orbit {model} --segments 4
