force = "(" * 9_000 + "z" + ")" * 9_000
path.write_text(f'[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["{force}"]\n')
