check ball.toml --case
