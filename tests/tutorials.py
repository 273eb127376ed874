"""Pages of the documentation, followed block by block in a copy of the project.

The first line of a block says what to do with it: ```console runs its lines, ```python a.py writes a file, ```python
add to a.py goes to the end of one, ```yaml merge into a.yaml adds to it, and ```yaml change in a.yaml replaces values.
"""

import re
from pathlib import Path

import yaml

DOCS = Path(__file__).parents[1] / "docs"


def blocks(page, title=None):
    """The blocks of a page, or of one of its sections: language, what to do with it, text."""
    text = (DOCS / page).read_text()
    if title is not None:
        parts = re.split(r"^## ", text, flags=re.MULTILINE)
        (text,) = [part for part in parts if part.startswith(title + "\n")]
    return re.findall(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


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


def follow(project, page, title=None, commands=""):
    """Do what a page, or a section of it, says.

    Args:
        commands: only the commands that begin with this word are run. All by default.

    Returns: what its commands printed.
    """
    printed = []
    for language, place, text in blocks(page, title):
        words, _, name = place.rpartition(" ")
        if language == "console":
            for command in (line for line in text.strip().splitlines() if line.startswith(commands)):
                done = project.run("bash", "-c", command)
                assert done.returncode == 0, done.stderr + done.stdout
                printed.append(done.stdout)
        elif words in ("merge into", "change in"):
            how = merge if words == "merge into" else change
            project.edit(name, lambda content, how=how, text=text: how(content, yaml.safe_load(text)))
        elif words == "add to":
            with project.own(name).open("a") as file:
                file.write("\n\n" + text)
        elif place:
            path = project.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return printed


def with_study(fresh_project, target, study, notebooks):
    """A copy of the small project that has a study of the real one as well."""
    project = fresh_project.copy(target)
    project.edit("config/config.yaml", lambda settings: settings["studies"].append(study))
    for name in notebooks:
        source = DOCS.parent / "workflow" / "notebooks" / f"{name}.py"
        (project.root / "workflow" / "notebooks" / source.name).write_text(source.read_text())
    return project
