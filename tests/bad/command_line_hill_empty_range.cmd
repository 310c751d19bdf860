hill {model} --vary alpha=2:2:10 --vary beta=0:1:3
