"""Exceptions of the package that a function can raise, found in the source.

A function or class refers to others by their names, in its own module or imported from a module of the package. It can
raise what it raises itself and what all of them raise. Methods count as parts of their class.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import twolayer
from twolayer import errors
from twolayer.storage.files import TooLarge

PACKAGE = Path(twolayer.__file__).parent
ERRORS = {  # name -> the public class
    name: name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, errors.TwolayerError)
} | {TooLarge.__name__: TooLarge.__base__.__name__}


def raised(module: str, name: str) -> set[str]:
    """Return the names of the errors that a function or class of a module can raise.

    Args:
        module: dotted name. name: of the function or class in this module.
    """
    found, seen, waiting = set(), set(), [(module, name)]
    while waiting:
        place = waiting.pop()
        if place not in seen:
            seen.add(place)
            own, used = _contents(*place)
            found |= own
            waiting += used
    return found


@cache
def _contents(module, name):
    """The errors that a definition raises itself, and the definitions that it refers to."""
    definitions, imports = _module(module)
    if name not in definitions:
        return set(), [imports[name]] if name in imports else []
    node = definitions[name]
    caught = {id(one) for inner in ast.walk(node) if isinstance(inner, ast.Try) for one in _handled(inner)}
    own, used = set(), []
    for part in ast.walk(node):
        if isinstance(part, ast.Raise) and part.exc is not None and id(part) not in caught:
            called = part.exc.func if isinstance(part.exc, ast.Call) else part.exc
            own |= {ERRORS[name] for name in {getattr(called, "id", "")} & ERRORS.keys()}
        elif isinstance(part, ast.Name) and part.id != name:
            used += [(module, part.id)] if part.id in definitions else []
            used += [imports[part.id]] if part.id in imports else []
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in imports:
            of, inner = imports[part.value.id]
            used.append((f"{of}.{inner}" if _path(f"{of}.{inner}") else of, part.attr))
        elif isinstance(part, ast.ImportFrom):
            used += list(_imported(part))
    return own, [(of, one) for of, one in used if of != "twolayer.errors"]


def _handled(node: ast.Try) -> Iterator[ast.Raise]:
    """What is raised in a try statement and caught in it, by the name of its class or of the base of all errors."""
    parts = (part for handler in node.handlers for part in ast.walk(handler.type or node))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    for statement in node.body:
        for part in ast.walk(statement):
            called = getattr(getattr(part, "exc", None), "func", None)
            if isinstance(part, ast.Raise) and names & {getattr(called, "id", ""), "TwolayerError"}:
                yield part


@cache
def _module(name):
    """The definitions of a module by name, and where its imported names come from."""
    path = _path(name)
    definitions, imports = {}, {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body if path else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            definitions[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            definitions |= {target.id: node for target in targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ImportFrom):
            imports |= {(alias.asname or alias.name): (node.module, alias.name) for alias in node.names if _own(node)}
    return definitions, imports


def _imported(node):
    return [(node.module, alias.name) for alias in node.names if _own(node)]


def _own(node):
    return node.level == 0 and (node.module or "").split(".")[0] == "twolayer"


def _path(module):
    base = PACKAGE.parent.joinpath(*module.split("."))
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)
