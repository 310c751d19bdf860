hill {model} --vary alpha=0:2:3
