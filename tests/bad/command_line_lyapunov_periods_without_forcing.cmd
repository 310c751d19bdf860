lyapunov {model} --periods 10
