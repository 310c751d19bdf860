mechanics = '[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["0"]\n'
path.write_text(mechanics + "[solver]\n" + "".join(f"key{i} = {i}\n" for i in range(30)))
