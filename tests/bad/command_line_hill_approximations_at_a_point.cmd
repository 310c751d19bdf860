hill {model} --approximations
