orbit {model} --method magic
