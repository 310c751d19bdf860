orbit {model}
