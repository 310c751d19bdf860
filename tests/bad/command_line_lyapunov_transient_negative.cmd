lyapunov {model} --periods 10 --transient -1
