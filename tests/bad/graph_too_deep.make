chain = "".join(f'd{i + 1} = "' + "sin(" * 60 + f"d{i}" + ")" * 60 + '"\n' for i in range(100))
path.write_text(f'[define]\nd0 = "z"\n{chain}[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["d100"]\n')
