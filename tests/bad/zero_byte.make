path.write_bytes(b'title = "a\0b"\n')
