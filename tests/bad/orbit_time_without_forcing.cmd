orbit {model} --surface "x'"
