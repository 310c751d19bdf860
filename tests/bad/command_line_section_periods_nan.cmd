section {model} --periods nan
