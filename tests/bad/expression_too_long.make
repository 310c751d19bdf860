force = "z" + " + z" * 6_000
path.write_text(f'[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = [\n"{force}"]\n')
