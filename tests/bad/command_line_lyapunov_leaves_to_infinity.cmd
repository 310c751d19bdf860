lyapunov {model} --time 1000
