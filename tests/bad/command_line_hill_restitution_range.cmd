hill {model} --vary alpha=0:2:3 --vary epsilon=0.5:1.5:3
