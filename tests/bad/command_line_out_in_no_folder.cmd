check {model} --out no_such_folder/x.json
