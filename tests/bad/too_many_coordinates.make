names = ", ".join(f'"x{i}"' for i in range(1100))
path.write_text(f'[mechanics]\ncoordinates = [\n{names}]\nkinetic = "x0\'^2"\n')
