section {model} --time 10 --surface z --direction left
