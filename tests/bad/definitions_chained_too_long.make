chain = "".join(f'd{i + 1} = "d{i} + t"\n' for i in range(300))
path.write_text(f'[define]\nd0 = "z"\n{chain}[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["0"]\n')
