lyapunov {model} --time 10 --starts -3
