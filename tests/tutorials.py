"""Pages of the documentation, followed block by block in a copy of the project, as a reader sees them.

The sentence above a block states what to do with it. It names a file: "Write the file `a.py`:", "Append to `a.py`:",
"Add these entries to `a.yaml`:", or "Change these values in `a.yaml`:". A block in the language console holds commands.
If a block in the language text follows, it is their output; "..." matches any text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from markdown_it import MarkdownIt

DOCS = Path(__file__).parents[1] / "docs"
ACTIONS = {
    "Write the file": "write",
    "Append to": "append",
    "Add these entries to": "merge",
    "Change these values in": "change",
}
_SENTENCE = re.compile(rf"({'|'.join(ACTIONS)}) (\S+):$")
_STATUS = re.compile(r"ends? with status (\d)")


@dataclass(frozen=True)
class Block:
    """A block of code on a page.

    Attributes:
        language: of the code. text: the code.
        section: heading above it.
        above: the paragraph above it, as it is rendered.
        action: one of the values of `ACTIONS`, or nothing. file: the file that the action changes.
    """

    language: str
    text: str
    section: str
    above: str
    action: str = ""
    file: str = ""


def blocks(page: str, section: str | None = None) -> list[Block]:
    """Return the blocks of a page in docs/, or of one of its sections."""
    found = list(_blocks((DOCS / page).read_text()))
    sections = {block.section for block in found}
    assert section is None or section in sections, f"{section!r} is none of {sections}"
    return [block for block in found if section in (None, block.section)]


def _blocks(text: str) -> Iterator[Block]:
    section = above = ""
    tokens = MarkdownIt().enable("table").parse(text)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline" and before.type == "heading_open" and before.tag == "h2":
            section = _rendered(token)
        elif token.type == "inline":
            above = _rendered(token)
        elif token.type == "fence":
            stated = _SENTENCE.search(above)
            action, file = (ACTIONS[stated[1]], stated[2]) if stated else ("", "")
            yield Block(token.info, token.content, section, above, action, file)
            above = ""


def _rendered(token):
    """The text of a paragraph, without marks of code and links."""
    return "".join(" " if part.type == "softbreak" else part.content for part in token.children)


def merge(content, more):
    """Nested mappings and lists put together."""
    for key, value in more.items():
        if isinstance(value, dict):
            merge(content.setdefault(key, {}), value)
        else:
            content[key] = content[key] + value if isinstance(content.get(key), list) else value


def change(content, more):
    """Nested mappings put together, in which later values replace earlier ones."""
    for key, value in more.items():
        if isinstance(value, dict):
            change(content.setdefault(key, {}), value)
        else:
            content[key] = value


def follow(project, page, section=None, commands=""):
    """Follow the instructions of a page, or of a section, and compare the output of its commands with the page.

    Args:
        commands: only the commands that begin with this word are run. All by default.

    Returns: what its commands printed.
    """
    printed, found = [], blocks(page, section)
    for block, after in zip(found, [*found[1:], None], strict=True):
        if block.action:
            _edit(project, block)
        elif block.language == "console":
            lines = [line for line in block.text.strip().splitlines() if line.startswith(commands)]
            outputs = [_run(project, line, int((_STATUS.search(block.above) or "00")[1])) for line in lines]
            if after is not None and after.language == "text" and not commands:
                assert_same("".join(outputs), after.text)
            printed += outputs
    return printed


def _edit(project, block):
    if block.action in ("merge", "change"):
        how = merge if block.action == "merge" else change
        project.edit(block.file, lambda content: how(content, yaml.safe_load(block.text)))
    elif block.action == "append":
        with project.own(block.file).open("a") as file:
            file.write("\n\n" + block.text)
    else:
        path = project.root / block.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)


def _run(project, command, status):
    done = project.run("bash", "-c", f"exec 2>&1\n{command}")
    assert done.returncode == status, f"{command}\n{done.stdout}"
    return done.stdout


_MEASURED = r"\d+\.\d+(?:e-?\d+)?|\d+(?= %)"  # numbers that depend on the processor: decimals and percentages
_ROUNDING = 0.3  # by which they may differ: a processor sums in another order, and few digits are printed


def assert_same(printed: str, shown: str) -> None:
    """What was printed is what a page shows, except for spaces and for what the page replaces by "...".

    Decimal numbers and percentages may differ by a part of `_ROUNDING`.
    """
    expected = re.findall(_MEASURED, shown)
    pattern = ".*".join(_pattern(" ".join(part.split())) for part in shown.split("..."))
    same = re.fullmatch(pattern, " ".join(printed.split()))
    assert same, f"the page shows\n{shown}\nprinted was\n{printed}"
    for one, other in zip(same.groups(), expected, strict=True):
        near = abs(float(one) - float(other)) <= _ROUNDING * abs(float(other))
        assert near, f"the page shows {other} in\n{shown}\nprinted was {one} in\n{printed}"


def _pattern(text):
    """A pattern of a text with a group for each number that depends on the processor."""
    pieces = re.split(f"({_MEASURED})", text)
    return "".join(
        r"(?<![\d.])(\d+(?:\.\d+)?(?:e-?\d+)?)(?!\d)" if place % 2 else re.escape(piece)
        for place, piece in enumerate(pieces)
    )


def with_study(fresh_project, target, study, notebooks):
    """A copy of the small project that has a study of the real one as well."""
    project = fresh_project.copy(target)
    project.edit("config/config.yaml", lambda settings: settings["studies"].append(study))
    for name in notebooks:
        source = DOCS.parent / "workflow" / "notebooks" / f"{name}.py"
        (project.root / "workflow" / "notebooks" / source.name).write_text(source.read_text())
    return project
