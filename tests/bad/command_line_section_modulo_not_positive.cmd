section {model} --time 10 --surface z --modulo 0
