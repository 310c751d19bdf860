equations ball.toml other.toml
