section {model} --time 10 --surface "z - 5"
