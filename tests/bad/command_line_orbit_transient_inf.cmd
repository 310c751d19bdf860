orbit {model} --transient inf
