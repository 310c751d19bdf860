chek ball.toml
