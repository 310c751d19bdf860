lyapunov {model}
