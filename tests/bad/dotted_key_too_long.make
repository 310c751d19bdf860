path.write_text("a" + ".a" * 10_000 + " = 1\n")
