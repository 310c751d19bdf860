orbit {model} --observe x
