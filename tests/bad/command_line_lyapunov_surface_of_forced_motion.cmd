lyapunov {model} --periods 10 --surface x
