section {model} --time 10 --at-impacts floor --surface z
