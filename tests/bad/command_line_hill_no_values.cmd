hill {model} --vary alpha=0:2:0 --vary beta=0:1:3
