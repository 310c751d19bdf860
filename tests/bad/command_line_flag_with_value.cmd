check ball.toml --json=maybe
