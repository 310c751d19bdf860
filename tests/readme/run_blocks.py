"""Runs every fenced block of README.md and docs/**/*.md and compares the output. Run by ctest as `readme`.

    tests/readme/run_blocks.py --build build/release [--update] [FILE.md ...]

Every document has a scratch folder of its own, in which `examples` is the project's folder of models and `saltus` is
on the PATH. Its blocks run in order. What a block is, the HTML comments right above it say:

    <!-- file: ball.toml -->       ```toml (or any language): written to that file in the scratch folder
    (nothing)                      ```console: lines `$ command`, each followed by its exact output (stdout and stderr);
                                   a command ending in \\ goes on in the next line
    <!-- exit: 1 -->               the exit code of the last command of a console block, otherwise 0 like the others
    <!-- compile -->               ```cpp: compiled, linked with the library of the build, run
    <!-- compile: in main -->      the same of what stands inside of main below #include <cstdio> and <saltus/saltus.hpp>; all such
                                   blocks of a document are compiled at once
    <!-- run -->                   ```python: run with Debian's Python
    <!-- output -->                ```text: the exact output of the cpp or python block before it (none: no output)
    <!-- not run: reason -->       a block that is only to be read

A block without any of these is an error, so that nothing in the documents is untested by oversight. In expected output
a line `...` stands for any number of lines; numbers are compared as text. --update writes the outputs that differ into
the documents; read the difference before you commit it.
"""
import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"
SECONDS = 300
FENCE = re.compile(r"^(\s*)(`{3,})\s*([\w+-]*)\s*$")
COMMENT = re.compile(r"^\s*<!--\s*(file|exit|compile|run|output|not run)\b\s*:?\s*(.*?)\s*-->\s*$")


@dataclass
class Block:
    line: int  # of the opening fence, from 1
    language: str
    indent: str
    lines: list
    marks: dict = field(default_factory=dict)  # {"file": "ball.toml"}

    def text(self):
        return "".join(line + "\n" for line in self.lines)


def blocks_of(text):
    """The fenced blocks of a document with the comments right above them."""
    blocks, marks, lines = [], {}, text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        fence, comment = FENCE.match(line), COMMENT.match(line)
        if fence:
            indent, ticks = fence.group(1), fence.group(2)
            end = number + 1
            while end < len(lines) and lines[end].strip() != ticks:
                end += 1
            body = [each[len(indent):] if each.startswith(indent) else each for each in lines[number + 1:end]]
            blocks.append(Block(number + 1, fence.group(3), indent, body, marks))
            marks, number = {}, end
        elif comment:
            marks[comment.group(1)] = comment.group(2)
        elif line.strip():
            marks = {}
        number += 1
    return blocks


def matches(expected, seen):
    """Whether the lines agree, `...` standing for any number of lines."""
    if not expected:
        return not seen
    if expected[0] == "...":
        return any(matches(expected[1:], seen[skip:]) for skip in range(len(seen) + 1))
    return bool(seen) and expected[0] == seen[0] and matches(expected[1:], seen[1:])


def commands_of(block):
    """[(command lines, expected output lines)] of a console block."""
    parts = []
    for line in block.lines:
        if line.startswith("$ "):
            parts.append(([line], []))
        elif parts and not parts[-1][1] and parts[-1][0][-1].endswith("\\"):
            parts[-1][0].append(line)
        elif parts:
            parts[-1][1].append(line)
        else:
            raise ValueError("a console block begins with '$ command'")
    return parts


class Document:
    def __init__(self, path, build, scratch):
        self.path, self.build, self.scratch = path, build, Path(scratch)
        self.text = path.read_text(encoding="utf-8")
        self.blocks = blocks_of(self.text)
        self.failures = []
        self.bodies = None  # program_of_bodies, once it is compiled
        self.changes = {}  # index of a block: its new lines
        self.ran = 0
        if (ROOT / "examples").is_dir():
            (self.scratch / "examples").symlink_to(ROOT / "examples")
        self.environment = dict(os.environ, LC_ALL="C.UTF-8", PYTHONPATH=str(build / "lib"),
                                PATH=f"{build / 'bin'}:/usr/bin:/bin:{os.environ.get('PATH', '')}")

    def fail(self, block, message):
        self.failures.append(f"{self.path.relative_to(ROOT)}:{block.line}: {message}")

    def execute(self, arguments):
        """Exit code and lines of output."""
        try:
            done = subprocess.run(arguments, cwd=self.scratch, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return None, [f"no end within {SECONDS} s"]
        lines = done.stdout.decode("utf-8", "backslashreplace").split("\n")
        return done.returncode, lines[:-1] if lines[-1] == "" else lines

    def compare(self, block, what, expected, seen):
        """The lines that belong into the document: the expected ones where they agree."""
        if matches(expected, seen):
            return expected
        difference = difflib.unified_diff(expected, seen, "in the document", "observed", lineterm="")
        self.fail(block, "\n".join([f"output of: {what}", *difference]))
        return seen

    def check_exit(self, block, what, code, wanted, output):
        if code == wanted:
            return True
        shown = "\n".join(f"    {line}" for line in output[-20:])
        self.fail(block, f"exit {code} instead of {wanted}: {what}\n{shown}")
        return False

    def run_console(self, index, block):
        parts = commands_of(block)
        lines = []
        for number, (command, expected) in enumerate(parts):
            script = "\n".join(command)[2:]
            code, seen = self.execute(["bash", "-c", script])
            wanted = int(block.marks.get("exit", 0)) if number == len(parts) - 1 else 0
            if self.check_exit(block, script, code, wanted, seen):
                expected = self.compare(block, script, expected, seen)
            lines += command + expected
        if lines != block.lines:
            self.changes[index] = lines

    def run_program(self, index, block, arguments, what):
        code, seen = self.execute(arguments)
        if not self.check_exit(block, what, code, int(block.marks.get("exit", 0)), seen):
            return
        following = self.blocks[index + 1] if index + 1 < len(self.blocks) else None
        if following and "output" in following.marks:
            lines = self.compare(following, what, following.lines, seen)
            if lines != following.lines:
                self.changes[index + 1] = lines
        elif seen:
            self.fail(block, f"{what} prints something; show it in a text block under <!-- output -->")

    def compiled(self, block, name, text):
        """The program of this text; nothing if it cannot be compiled."""
        source, program = self.scratch / f"{name}.cpp", self.scratch / name
        source.write_text(text, encoding="utf-8")
        compile_flags, link_flags = (shlex.split((self.build / f"readme_{kind}_flags.txt").read_text())
                                     for kind in ("compile", "link"))
        code, seen = self.execute(["g++", *compile_flags, str(source), "-o", str(program), *link_flags])
        return program if self.check_exit(block, "compiling the block", code, 0, seen) else None

    def program_of_bodies(self, block):
        """One program of all blocks inside of main, told by its argument which of them to run."""
        if self.bodies is None:
            text = "#include <cstdio>\n#include <cstdlib>\n#include <saltus/saltus.hpp>\n"
            lines = [each.line for each in self.blocks if each.marks.get("compile") == "in main"]
            for each in self.blocks:
                if each.line in lines:
                    text += f'static void block_{each.line}() {{\n#line {each.line + 1} "{self.path}"\n{each.text()}}}\n'
            calls = "".join(f"    case {line}: block_{line}(); break;\n" for line in lines)
            text += f"int main(int, char** words) {{\n  switch (std::atoi(words[1])) {{\n{calls}  }}\n}}\n"
            self.bodies = self.compiled(block, "bodies", text) or False
        return self.bodies

    def run_cpp(self, index, block):
        if block.marks["compile"] == "in main":
            if self.program_of_bodies(block):
                self.run_program(index, block, [str(self.bodies), str(block.line)], "the compiled block")
        elif program := self.compiled(block, f"block_{block.line}", block.text()):
            self.run_program(index, block, [str(program)], "the compiled block")

    def run_python(self, index, block):
        source = self.scratch / f"block_{block.line}.py"
        source.write_text(block.text(), encoding="utf-8")
        self.run_program(index, block, [PYTHON, source.name], "the Python block")

    def run_block(self, index, block):
        marks = block.marks
        if "not run" in marks:
            if not marks["not run"]:
                self.fail(block, "say why the block is not run")
            return
        self.ran += 1
        if "file" in marks:
            (self.scratch / marks["file"]).write_text(block.text(), encoding="utf-8")
        elif block.language == "console":
            self.run_console(index, block)
        elif block.language == "cpp" and "compile" in marks:
            self.run_cpp(index, block)
        elif block.language == "python" and "run" in marks:
            self.run_python(index, block)
        elif "output" in marks:
            before = self.blocks[index - 1].marks if index else {}
            if not {"compile", "run"} & before.keys():
                self.fail(block, "an output block follows a cpp block to compile or a python block to run")
        else:
            self.fail(block, f"nothing says how to run this {block.language or 'unnamed'} block; "
                             "see the top of tests/readme/run_blocks.py")

    def run(self):
        for index, block in enumerate(self.blocks):
            try:
                self.run_block(index, block)
            except (ValueError, OSError) as problem:
                self.fail(block, str(problem))

    def updated_text(self):
        lines = self.text.split("\n")
        for index in sorted(self.changes, reverse=True):
            block = self.blocks[index]
            new = [block.indent + line if line else line for line in self.changes[index]]
            lines[block.line:block.line + len(block.lines)] = new
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="runs the blocks of README.md and docs/")
    parser.add_argument("--build", required=True, type=Path, help="build folder, for instance build/release")
    parser.add_argument("--update", action="store_true", help="write outputs that differ into the documents")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    paths = [path.resolve() for path in options.files] or [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]

    ran, failures = 0, []
    for path in paths:
        with tempfile.TemporaryDirectory() as scratch:
            document = Document(path, options.build.resolve(), scratch)
            document.run()
        ran += document.ran
        if options.update and document.changes:
            path.write_text(document.updated_text(), encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: {len(document.changes)} blocks updated")
        failures += document.failures
    print(*failures, sep="\n\n", end="\n\n" if failures else "")
    print(f"{len(paths)} documents, {ran} blocks run, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
