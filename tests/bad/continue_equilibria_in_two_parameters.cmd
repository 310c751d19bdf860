continue {model} --vary p=-1:2 --vary q=0.5:2 --point HB1
