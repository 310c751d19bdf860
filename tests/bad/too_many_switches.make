force = "+".join(f"sign(x-{i})" for i in range(1400))
more = "+".join(f"sign(x+{i}.5)" for i in range(1100))
path.write_text(f'[mechanics]\ncoordinates = ["x", "y"]\nmass = [["1", "0"], ["0", "1"]]\nforce = ["{force}", "{more}"]\n')
