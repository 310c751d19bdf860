orbit {model} --transient 1 --observe x,y --plot orbit.svg
