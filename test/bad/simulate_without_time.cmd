simulate {model}
