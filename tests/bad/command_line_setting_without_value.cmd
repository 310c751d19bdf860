check ball.toml --set e
