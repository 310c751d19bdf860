section {model} --time 30 --surface "mod(z, 2) - 1"
