"""Fail when a file includes what its place forbids. Run by ctest as `layers`.

A layer includes itself and layers to its left, and a sub-folder of one itself and sub-folders to its left; front ends include every layer and never one another; the tests of a
layer include what the layer may, and tests/support. LLVM is included by the code generator
alone: saltus/kernel/codegen.cpp and the headers ir_*.hpp that only it includes. No layer writes --option. saltus/mpi is a module beside the front
ends.
"""
import re
import sys
from pathlib import Path

LAYERS = ["base", "expr", "model", "kernel", "numerics", "flow", "analysis", "result", "driver", "report"]
SUBFOLDERS = {"analysis": ["motions", "curves", "orbits", "branches", "hill", "response"]}
FRONT_ENDS = {"cli", "python", "web", "mpi"}
LLVM_USERS = re.compile(r"saltus/kernel/(codegen\.cpp|ir_\w+\.hpp)")
# A name of a setting as a command line has it, in a string that is code.
OPTION = re.compile(r'^(?:[^"/]|/(?!/)|"(?:[^"\\]|\\.)*")*?"(?:[^"\\]|\\.)*--[a-z]')
QUOTED = re.compile(r'\s*#\s*include\s+"([^"]+)"')
LLVM = re.compile(r"\s*#\s*include\s+[<\"]llvm")


def may_include(layer, used):
    if used == layer:
        return True
    if layer in FRONT_ENDS:
        return used in LAYERS
    return layer in LAYERS and used in LAYERS and LAYERS.index(used) < LAYERS.index(layer)


def may_include_folder(layer, folder, used):
    """Both are sub-folders of one layer."""
    order = SUBFOLDERS[layer]
    return used in order and (folder not in order or order.index(used) <= order.index(folder))


def fault(path, line):
    """What is wrong with one line of one file; None if nothing is."""
    root, folder = path.parts[0], path.parts[1]
    if LLVM.match(line) and not LLVM_USERS.fullmatch(path.as_posix()):
        return "LLVM may be included by saltus/kernel/codegen.cpp and its ir_*.hpp only"
    if root == "saltus" and folder in LAYERS and OPTION.match(line):
        return "only a front end writes --option: messages name the setting, ⟨option⟩ (saltus/base/setting.hpp)"
    included = QUOTED.match(line)
    if not included:
        return None
    parts = included.group(1).split("/")
    if parts[0] == "saltus" and len(parts) > 2:
        free = root == "tests" and folder in ("support", "fuzz")
        if not free and not may_include(folder, parts[1]):
            return f"'{folder}' may not include '{parts[1]}'"
        if parts[1] in SUBFOLDERS and not may_include_folder(parts[1], path.parts[2] if folder == parts[1] else "", parts[2]):
            return f"'{'/'.join(path.parts[1:3])}' may not include '{'/'.join(parts[1:3])}'"
        return None
    if parts[0] == "tests" and root == "tests":
        return None if parts[1] in ("support", folder) else f"the tests of '{folder}' may not include '{parts[1]}'"
    return f"write '{included.group(1)}' from the project root: \"saltus/LAYER/NAME.hpp\""


def main():
    files = [path for root in ("saltus", "tests") for path in sorted(Path(root).glob("*/**/*.[ch]pp"))]
    astray = [f"{path}: belongs into one of {', '.join(SUBFOLDERS[path.parts[1]])}"
              for path in files if path.parts[1] in SUBFOLDERS and path.parts[2] not in SUBFOLDERS[path.parts[1]]]
    bad = astray + [f"{path}:{number}: {message}"
           for path in files
           for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
           if (message := fault(path, line))]
    print(*bad, sep="\n", end="\n" if bad else "")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
