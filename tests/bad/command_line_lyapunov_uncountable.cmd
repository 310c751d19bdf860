lyapunov {model} --time 1e300
