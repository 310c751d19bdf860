section {model} --time 10 --surface "y - 5"
