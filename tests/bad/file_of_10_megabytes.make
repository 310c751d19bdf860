path.write_text("# nothing but comments\n" * 450_000)
