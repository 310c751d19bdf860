section {model} --time 10 --at-impacts flor
