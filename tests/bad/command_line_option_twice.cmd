check ball.toml --case a --case b
