orbit {model} --starts 3 --iterations 1
