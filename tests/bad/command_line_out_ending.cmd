check ball.toml --out ball.nc
