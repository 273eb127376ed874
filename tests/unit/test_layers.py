"""The layers of the package: no import upwards, no cycle between modules, no folder that is too long to read, and no
module name for two things."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from twolayer.dependencies import PACKAGE

BASE = "base"  # `io`, `errors`, `parameters`, the folder storage, and what else lies directly in the package
LAYERS = {  # layer: the layers that it imports
    BASE: set(),
    "model": {BASE},
    "theory": {BASE, "model"},
    "simulation": {BASE, "model", "theory"},
    "results": {BASE, "model"},
    "experiments": {BASE, "model", "theory", "simulation", "results"},
    "figures": {BASE, "model", "results"},
    "library": {BASE, "model", "theory", "simulation", "results", "experiments"},
    "pipeline": {BASE, "model", "theory", "simulation", "results", "experiments", "figures", "library"},
}
LONGEST = 15  # modules in a folder, without __init__.py
# The names of modules of several layers. Each is one thing: a task and its computation, an object and its result, a
# figure and its subject.
SEVERAL_SIDES = (
    "bayes_error conditional_generator conditional_outputs convex_learning convolutional_generator descents "
    "equivalence_distance feature_covariances fixed_point frozen_features gaussian_equivalent_sgd generated_features "
    "generator generator_sgd giant_step image_training inputs kernel_regression learning_curve mean_field_flow mixture "
    "moments online_sgd order_parameter_sgd random_features readout_training resnet teacher_curve ultrafast_diffusion "
    "variable_projection"
)


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, modules) -> set[str]:
    """Return the modules of the package that a file imports, except imports for type checkers."""
    names = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} has a relative import: write the full name"
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [name if name in modules else node.module for name in full]
    return set(names) & set(modules)


def import_graph() -> dict[str, set[str]]:
    modules = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    return {name: imported(path, modules) - {name} for name, path in modules.items()}


GRAPH = import_graph()


def layer(module: str) -> str:
    """The layer of a module. The package itself exports the library."""
    parts = module.split(".")
    if len(parts) == 1:
        return "library"
    return parts[1] if parts[1] in LAYERS else BASE


def forbidden(importer: str, graph=GRAPH) -> list[str]:
    """The imports of a layer that the table of layers does not allow."""
    allowed = LAYERS[importer] | {importer}
    arrows = ((a, b) for a, found in graph.items() for b in found if layer(a) == importer and layer(b) not in allowed)
    return sorted(f"{a} imports {b}" for a, b in arrows)


def cycle(graph=GRAPH) -> list[str]:
    """The modules of one cycle of imports, if there is one."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def folders() -> dict[str, int]:
    """The number of modules of each folder of src, apart from the folders that have one module for each figure."""
    source = PACKAGE.parent
    counts = {}
    for path in source.rglob("*.py"):
        if path.parent.parent != PACKAGE / "figures" and path.name != "__init__.py":
            folder = str(path.parent.relative_to(source))
            counts[folder] = counts.get(folder, 0) + 1
    return counts


@pytest.mark.parametrize("importer", LAYERS)
def test_a_layer_imports_only_the_layers_below(importer):
    assert not forbidden(importer)


def test_no_modules_import_each_other():
    assert not cycle()


def test_no_folder_has_more_than_15_modules():
    assert not {folder: count for folder, count in folders().items() if count > LONGEST}


def shared_names(modules=GRAPH) -> dict[str, list[str]]:
    """The names of several modules, with their layers. Every folder of tasks has a module `parameters`."""
    layers = {}
    for module in modules:
        name = module.rpartition(".")[2]
        if name != "parameters" and not (PACKAGE.parent / module.replace(".", "/")).is_dir():
            layers.setdefault(name, []).append(layer(module))
    return {name: found for name, found in layers.items() if len(found) > 1}


def test_modules_that_share_a_name_are_sides_of_one_thing():
    assert set(shared_names()) == set(SEVERAL_SIDES.split())
    assert not [name for name, found in shared_names().items() if len(found) > len(set(found))]


def test_every_folder_of_the_package_is_a_layer():
    found = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert found == {*LAYERS, "storage"} - {BASE}


def test_the_graph_has_all_imports():
    """Imports within functions count, and so do names that are imported from a module."""
    assert {layer(module) for module in GRAPH} == set(LAYERS)
    assert "twolayer.errors" in GRAPH["twolayer.io"]
    assert sum(map(len, GRAPH.values())) > 1000


def test_wrong_imports_are_found():
    upward = {"twolayer.theory.mixtures.integration": {"twolayer.experiments.samples"}}
    assert forbidden("theory", upward) == ["twolayer.theory.mixtures.integration imports twolayer.experiments.samples"]
    assert forbidden("results", {"twolayer.results.descents": {"twolayer.theory.mixtures.integration"}})
    assert shared_names(["twolayer.theory.replica.hinge", "twolayer.theory.classes.hinge"]) == {"hinge": ["theory"] * 2}
    assert set(cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}
