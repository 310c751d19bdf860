show kernel {model}
