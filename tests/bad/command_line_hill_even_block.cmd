hill {model} --block 4
