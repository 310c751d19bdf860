continue {model} --vary k=1:2 --transient nan
