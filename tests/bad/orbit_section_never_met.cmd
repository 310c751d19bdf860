orbit {model} --surface "x - 5"
