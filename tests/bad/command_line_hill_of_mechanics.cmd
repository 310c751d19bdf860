hill {model}
