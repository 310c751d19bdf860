section {model} --time 10 --direction up
