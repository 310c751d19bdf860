mechanics = '[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["0"]\n'
path.write_text(mechanics + "[observe]\n" + "".join(f"o{i} = {i}\n" for i in range(1100)))
