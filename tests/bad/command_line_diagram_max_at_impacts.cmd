diagram {model} --vary omega=1:2:10 --periods 10 --extrema --observe "max(x)"
