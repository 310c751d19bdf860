lyapunov {model} --periods 10 --error 0
