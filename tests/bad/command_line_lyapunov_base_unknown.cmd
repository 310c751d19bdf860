lyapunov {model} --periods 10 --base 10
