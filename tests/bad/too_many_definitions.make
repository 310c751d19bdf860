mechanics = '[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["0"]\n'
path.write_text(mechanics + "[define]\n" + "".join(f"d{i} = {i}\n" for i in range(2100)))
