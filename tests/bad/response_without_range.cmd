response {model}
