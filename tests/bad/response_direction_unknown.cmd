response {model} --vary omega=1:2:10 --direction sideways
