mechanics = '[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["0"]\n'
path.write_text(mechanics + "".join(f"[case.c{i}]\n" for i in range(1100)))
