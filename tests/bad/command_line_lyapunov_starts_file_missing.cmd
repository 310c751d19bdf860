lyapunov {model} --time 10 --starts no_such_list.csv
