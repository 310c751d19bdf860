path.write_text("a = " + "[" * 10_000 + "]" * 10_000 + "\n")
