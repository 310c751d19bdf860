show kernel {model} --kernel fild
