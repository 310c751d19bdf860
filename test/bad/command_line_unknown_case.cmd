check {model} --case elastc
