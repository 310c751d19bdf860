continue {model} --vary A=1.05:1.2 --transient 20
