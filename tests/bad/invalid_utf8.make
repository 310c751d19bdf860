path.write_bytes(b'title = "caf\xe9"\n')
