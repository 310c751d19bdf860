section {model} --time 10 --transient 1e300
