hill {model} --vary alpha=0:2:3 --vary alpha=0:1:3
