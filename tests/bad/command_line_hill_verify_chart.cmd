hill {model} --vary alpha=0:2:3 --vary beta=0:1:3 --verify
