show kernl ball.toml
