continue {model} --vary F=0.9:1.1
