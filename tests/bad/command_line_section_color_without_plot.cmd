section {model} --time 10 --at-impacts floor --color z
