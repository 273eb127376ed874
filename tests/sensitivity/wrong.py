"""Wrong versions of the physics, each with the test or the check that must detect it."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from small_project import ROOT

PACKAGE = ROOT / "src" / "twolayer"


@dataclass(frozen=True)
class Wrong:
    """A change of one function that makes the physics wrong.

    Attributes:
        name: What is wrong, in words.
        place: The function, method or constant, as a part of its dotted name: "theory.hinge.respond" and
            "theory.respond" both find `twolayer.theory.replica.hinge.respond`, in this module or in a package below it.
        old: A text that the source of the function contains once. The source is the one that `ast.unparse` writes: one
            statement per line, strings in single quotes, no comments. Formatting does not matter.
        new: The text that replaces it.
        test: The test that must fail, as pytest names it; or
        figure: The figure of which a check must fail after its runs are repeated.
        runs: The names of these runs at the quick preset, in their order. The other runs keep their results.
    """

    name: str
    place: str
    old: str
    new: str
    test: str | None = None
    figure: str | None = None
    runs: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The file of the function, relative to the package."""
        return str(find(self.place)[0].relative_to(PACKAGE))

    def module(self) -> str:
        """Return the source of the module with the wrong function.

        Raises:
            ValueError: The place names no or several functions, or the function does not contain `old` once.
        """
        path, number = find(self.place)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        block, i = _definitions(tree)[number][1:]
        source = ast.unparse(block[i])
        if source.count(self.old) != 1:
            raise ValueError(
                f"{self.place} in {path} contains {self.old!r} {source.count(self.old)} times, expected once: "
                f"correct the entry {self.name!r}. The source is\n{source}"
            )
        block[i : i + 1] = ast.parse(source.replace(self.old, self.new)).body
        return ast.unparse(tree)


def find(place: str) -> tuple[Path, int]:
    """Find a function by parts of its dotted name, and return its file and its number in the file.

    Raises:
        ValueError: No function or several functions have this name.
    """
    found = {name: where for name, where in _places().items() if _is_part(place.split("."), name.split("."))}
    if len(found) != 1:
        some = ", ".join(sorted(found)[:3])
        seen = f"{len(found)} functions, for instance {some}: add the module" if found else "no function"
        raise ValueError(f"the place {place!r} names {seen}")
    return found.popitem()[1]


def _is_part(names: list[str], all_names: list[str]) -> bool:
    """Whether the names occur in this order, the last name at the end."""
    rest = iter(all_names)
    return all(name in rest for name in names) and names[-1] == all_names[-1]


@cache
def _places() -> dict[str, tuple[Path, int]]:
    """The file of each function and constant of the package, and its number in the file, by dotted name."""
    places = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for number, (name, *_) in enumerate(_definitions(ast.parse(path.read_text(encoding="utf-8")))):
            places[f"{module}.{name}"] = path, number
    return places


def _definitions(node: ast.AST, prefix: str = "") -> list[tuple[str, list[ast.stmt], int]]:
    """The functions, methods and constants of a module: qualified name, and the block and position of the statement."""
    found = []
    for block in (getattr(node, part, []) for part in ("body", "orelse")):
        for i, statement in enumerate(block):
            if isinstance(statement, ast.ClassDef):
                found += _definitions(statement, f"{prefix}{statement.name}.")
            elif isinstance(statement, ast.If):
                found += _definitions(statement, prefix)
            elif isinstance(statement, ast.FunctionDef):
                found.append((prefix + statement.name, block, i))
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                found += [(prefix + target.id, block, i) for target in targets if isinstance(target, ast.Name)]
    return found
