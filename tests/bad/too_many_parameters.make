path.write_text("[parameters]\n" + "".join(f"p{i} = {i}\n" for i in range(1200))
                + '[mechanics]\ncoordinates = ["z"]\nmass = [["1"]]\nforce = ["0"]\n')
