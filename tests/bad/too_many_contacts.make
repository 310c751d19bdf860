contact = '[[contact]]\nname = "c%d"\ngap = "z"\nrestitution = 1\n'
mechanics = '[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["0"]\n'
path.write_text(mechanics + "".join(contact % i for i in range(1010)))
