orbit {model} --method tfem --starts 4
