mechanics = '[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["0"]\n'
path.write_text(mechanics + "[draw]\n" + "".join(f"P{i} = [{i}, 0]\n" for i in range(1100)))
