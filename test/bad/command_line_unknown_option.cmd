check ball.toml --jsn
