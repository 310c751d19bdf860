lyapunov {model} --periods 10 --starts 0
