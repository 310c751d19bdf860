response {model} --vary omega=1:2:10 --from orbit.json
