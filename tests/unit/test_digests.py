"""Results record digests of their inputs and of custom functions: different inputs have different digests."""

import json
import re

import numpy as np
import pytest
import torch

import twolayer as tl
from twolayer import io
from twolayer.experiments import TASKS
from twolayer.experiments.digests import digests_of
from twolayer.model.random.torch_seeds import seeded
from twolayer.pipeline import cli
from twolayer.pipeline.commands.run import process_costs
from twolayer.storage.attributes import describes_run
from twolayer.storage.origin import provenance

X = np.linspace(-1, 1, 40)[:, None]
DESCENT = {"width": 5, "ridge": 1e-2, "descent": {"iterations": 2, "step": 0.1, "every": 1}}


def recorded(result):
    return json.loads(result.attrs["digests"])


def descent(inputs=X, targets=X[:, 0], **options):
    return recorded(tl.variable_projection(inputs, targets, **DESCENT | options))


def moments(of):
    return recorded(tl.moments(of, samples=100))


def test_arrays_differ():
    one = descent()
    assert one == descent(inputs=X.copy())
    assert one.keys() == {"inputs", "targets"}
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in one.values())
    other = descent(targets=X[:, 0] * (1 + 1e-15))
    assert other["inputs"] == one["inputs"]
    assert other["targets"] != one["targets"]


def test_shapes_and_types_differ():
    task = TASKS["variable_projection"]
    config = task.parameters()

    def digest(array):
        return digests_of(task, config, {"inputs": array})["inputs"]

    arrays = np.zeros((2, 3)), np.zeros((3, 2)), np.zeros(6), np.zeros((2, 3), np.float32), np.zeros((2, 3), int)
    assert len({digest(array) for array in arrays}) == len(arrays)


@pytest.mark.parametrize(
    "others",
    [
        lambda x: np.tanh(1.1 * x),
        lambda x: np.where(x < 20, np.tanh(x), 2),  # beyond the first points
        tl.Activation.of(np.tanh, slope=np.ones_like),  # only the slope
    ],
)
def test_functions_of_one_name_differ(others):
    one, other = (
        descent(activation=tl.Activation.of(given, getattr(given, "slope", None), name="f"))
        for given in (np.tanh, others)
    )
    assert one.keys() == {"inputs", "targets", "activation"}
    assert {name for name in one if one[name] != other[name]} == {"activation"}


def test_named_activations_need_no_digest():
    assert "activation" not in descent(activation="tanh")


def test_a_function_that_fails_at_distant_points():
    def interpolated(x):
        if np.abs(x).max() > 8:
            raise ValueError("x is out of range")
        return np.sin(x)

    one = descent(activation=interpolated)
    assert one["activation"] != descent(activation=np.sin)["activation"]


@pytest.mark.parametrize("directions", [1, 2])
def test_functions_of_a_teacher_differ(directions):
    def digest(factor):
        def target(s):
            return np.sin(factor * s) if directions == 1 else np.sin(factor * s[..., 0]) * s[..., 1]

        data = tl.SpikedData(input_dimension=20, samples=30, teacher_function=target, teacher_directions=directions)
        return recorded(tl.one_step_simulation(data, tl.Axes(width=[0.5]), activations=["relu"], seeds=2))

    assert digest(1) == digest(1)
    assert digest(1) != digest(2)
    assert digest(1).keys() == {"data.teacher_function"}


def generator(hidden=torch.nn.Tanh, seed=0):
    with seeded(seed):
        return tl.Generator(torch.nn.Sequential(torch.nn.Linear(4, 6), hidden()), latent_size=4)


def test_generators_differ_by_weights_and_by_formula():
    made = generator(), generator(), generator(seed=1), generator(torch.nn.Softsign)
    found = [moments(one)["generator"] for one in made]
    assert found[0] == found[1]
    assert len(set(found)) == 3


def test_weights_without_effect_on_the_fixed_latents_count():
    def of(last):
        weight = torch.zeros(2, 3)
        weight[0, 0], weight[1, 1] = 1, last
        layer = torch.nn.Linear(3, 2)
        layer.load_state_dict({"weight": weight, "bias": torch.tensor([0.0, -50.0])})
        return tl.Generator(torch.nn.Sequential(layer, torch.nn.ReLU()), latent_size=3)

    assert moments(of(1.0)) != moments(of(2.0))


def test_the_number_of_threads_does_not_count():
    before, found = torch.get_num_threads(), []
    wide = tl.Generator(torch.nn.Linear(2000, 500).double(), latent_size=2000)
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append(digests_of(TASKS["moments"], TASKS["moments"].parameters(), {"generator": wide}))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1] == found[2]


def test_files_differ_by_their_content(tmp_path):
    table = tmp_path / "table.csv"
    found = []
    for last in ("3", "4"):
        table.write_text("1,2,0\n2,1,1\n1,1,0\n4,4,1\n" * 5 + f"5,{last},1\n5,2,0\n")
        found.append(recorded(tl.data_samples(file=str(table))))
    assert found[0].keys() == {"files"}
    assert found[0] != found[1]


def test_results_differ_by_their_attributes():
    """The weights of these generators are equal."""
    one, other = (tl.dense_generator(widths=[4, 6], activation=name, seed=0) for name in ("tanh", "erf"))
    assert moments(one) != moments(other)


def test_a_result_has_the_same_digest_in_memory_and_in_a_file(tmp_path):
    made = tl.dense_generator(widths=[4, 6], activation="tanh", seed=0)
    tl.write(made, tmp_path / "generator.nc")
    found = tl.moments(made, samples=100)
    assert recorded(found) == moments(tl.read(tmp_path / "generator.nc"))
    tl.write(found, tmp_path / "moments.nc")
    assert recorded(tl.read(tmp_path / "moments.nc")) == recorded(found)


def test_date_machine_and_versions_do_not_count():
    assert all(describes_run(name) for name in (*provenance(), *process_costs(), "wall_time_s"))
    assert not describes_run("params")


def test_the_workflow_records_the_digests_of_the_library(tmp_path):
    made, written = tl.dense_generator(widths=[4, 6], activation="tanh", seed=0), tmp_path / "generator.nc"
    tl.write(made, written)
    params, output = json.dumps({"samples": 100}), tmp_path / "moments.nc"
    arguments = ["run", "moments", "--params", params, "--input", f"generator={written}", "--output", str(output)]
    assert cli.main([*arguments, "--threads", "1"]) == 0
    assert recorded(io.read(output)) == moments(made)
