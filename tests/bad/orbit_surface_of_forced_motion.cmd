orbit {model} --surface "x + 1"
