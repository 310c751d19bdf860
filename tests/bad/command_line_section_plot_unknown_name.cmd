section {model} --time 10 --at-impacts floor --plot a.png --x heigt
