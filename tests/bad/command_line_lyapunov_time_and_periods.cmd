lyapunov {model} --periods 10 --time 5
