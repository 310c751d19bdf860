#!/usr/bin/env python3
"""What comments in the sources cite of a paper by a number, docs/theory.md states with that number; nothing else is cited that a reader of the project does not have."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# By which word a paper is known in a comment, and under which headings of theory.md its equations stand.
PAPERS = {"Leine": ["Hill's equation with a stop"], "Kranjčević": ["Clearances"], "Awrejcewicz": ["Impact", "Spectra"]}
NUMBERS = re.compile(r"\(?\b(eqs?\.|Theorem) (\d+(?:-\d+)?(?:(?:, | and )\d+(?:-\d+)?)*)")


def numbers(text: str) -> set[tuple[str, int]]:
    """('eq', 29) of 'eq. 29', each of 'eqs. 4-21' or 'eqs. 83 and 84'."""
    found = set()
    for kind, listed in NUMBERS.findall(text):
        for part in re.split(r", | and ", listed):
            first, _, last = part.partition("-")
            found |= {(kind.rstrip("s.").removesuffix("s"), n) for n in range(int(first), int(last or first) + 1)}
    return found


def sections() -> dict[str, str]:
    parts = re.split(r"^#+ (.*)$", (ROOT / "docs/theory.md").read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def comments() -> list[tuple[str, str]]:
    """Blocks of comment lines, each as one line, with their place."""
    blocks = []
    for file in sorted((ROOT / "saltus").rglob("*.?pp")):
        for block in re.findall(r"(?:^.*//.*\n)+", file.read_text(), re.M):
            text = " ".join(line.partition("//")[2].strip("/ ") for line in block.splitlines())
            blocks.append((str(file.relative_to(ROOT)), text))
    return blocks


class Theory(unittest.TestCase):
    def test_ranges_and_lists_of_numbers_are_read(self):
        self.assertEqual(numbers("Theorem 2, eqs. 4-6 and (eq. 9), eqs. 83 and 84"),
                         {("Theorem", 2), ("eq", 4), ("eq", 5), ("eq", 6), ("eq", 9), ("eq", 83), ("eq", 84)})

    def test_states_every_equation_that_a_source_cites(self):
        stated = sections()
        cited = 0
        for place, text in comments():
            named = [paper for paper in PAPERS if paper in text]
            if not named:
                continue
            known = set().union(*(numbers(stated[heading]) for paper in named for heading in PAPERS[paper]))
            for number in numbers(text):
                cited += 1
                with self.subTest(place=place, number=number):
                    self.assertIn(number, known, f"theory.md does not say what {text!r} cites")
        self.assertGreater(cited, 20)

    def test_no_source_cites_what_is_not_here(self):
        for place, text in comments():
            self.assertNotRegex(text, r"MATHS|EVENTS\.md", place)


if __name__ == "__main__":
    unittest.main()
