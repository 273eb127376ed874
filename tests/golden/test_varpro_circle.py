"""The circle against the stored values of varpro.json, which has the tolerances, and its arrays in varpro/."""

import json
from pathlib import Path

import numpy as np
import pytest

from twolayer.model.teachers.published_stream import replay_problem
from twolayer.model.teachers.teacher_distributions import CircleTeacher, sample_torus_teacher
from twolayer.simulation.mean_field.circle_features import CircleData, descend, network_output
from twolayer.simulation.mean_field.distances import (
    CircleMeasure,
    circle_mmd,
    pairwise_mmd,
    smoothed_density,
    torus_distance,
)
from twolayer.theory.mean_field.ultrafast_diffusion import Diffusion

FOLDER = Path(__file__).parent
ENTRIES = json.loads((FOLDER / "varpro.json").read_text())["entries"]
OFFSETS = {"unbiased": 1.0, "biased": 0.0}


def entries(*kinds):
    return [pytest.param(entry, id=entry["id"]) for entry in ENTRIES if entry["kind"].startswith(kinds)]


def angles(points):
    return np.arctan2(points[:, 1], points[:, 0])


def points(angle):
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


@pytest.mark.parametrize("entry", entries("shl_"))
def test_short_runs(entry):
    given, wanted = (np.load(FOLDER / "varpro" / f"{entry['id']}.{part}.npz") for part in ("inputs", "expected"))
    teacher, targets, tolerance = angles(given["teacher"]), wanted["targets"][:, 0], entry["suggested_tolerance"]
    np.testing.assert_allclose(network_output(given["X"], teacher), targets, rtol=0, atol=1e-14)
    records = [int(name[2:]) for name in wanted if name.startswith("W_")]
    iterations = np.union1d(records, [int(i) for i in entry["loss"]])
    run = descend(
        CircleData.of(given["X"], targets),
        angles(given["W0"]),
        entry["lmbda"],
        OFFSETS[entry["regularization"]],
        entry["time_scale"],
        iterations,
        entry["method"] == "2TS",
    )
    at = {int(iteration): place for place, iteration in enumerate(iterations)}
    np.testing.assert_allclose(run.outer[0], wanted["u0"][0], rtol=0, atol=1e-9)
    for iteration, loss in entry["loss"].items():
        assert run.risk[at[int(iteration)]] == pytest.approx(loss, rel=tolerance["rel_loss"])
    for iteration in records:
        ours = points(run.angles[at[iteration]])
        np.testing.assert_allclose(ours, wanted[f"W_{iteration}"], rtol=0, atol=tolerance["abs_W"])
    for iteration, distance in entry["mmd"].items():
        if int(iteration) in at:
            mmd = circle_mmd(CircleMeasure.at(run.angles[at[int(iteration)]]), CircleMeasure.at(teacher))
            assert mmd == pytest.approx(distance, abs=tolerance["abs_mmd"])


def full_run(seed, width, ridge, offset, gamma, iterations, two_timescale=False):
    problem = replay_problem(seed, CircleTeacher(gamma), 4096, 4096, [width])
    data = CircleData.of(problem.inputs, network_output(problem.inputs, problem.teacher))
    run = descend(data, problem.students[0], ridge, offset, 2.0**-10, iterations, two_timescale)
    teacher = CircleMeasure.at(problem.teacher)
    return run.risk, [circle_mmd(CircleMeasure.at(angle), teacher) for angle in run.angles]


LONG = [pytest.param(e, id=e["id"]) for e in ENTRIES if e["kind"] == "paperscale_own" and e["M"] in (32, 512)]


@pytest.mark.slow
@pytest.mark.parametrize("entry", LONG)
def test_long_runs_on_the_published_stream(entry):
    """The stored runs had a teacher in single precision, 5e-7 off; late risks are small and feel it most."""
    iterations = sorted({int(i) for name in ("loss", "mmd_teacher") for i in entry[name]})
    offset, two_timescale = OFFSETS[entry["reg"]], entry["method"] == "2TS"
    risk, mmd = full_run(entry["seed"], entry["M"], entry["lmbda"], offset, entry["gamma"], iterations, two_timescale)
    for iteration, value in entry["loss"].items():
        assert risk[iterations.index(int(iteration))] == pytest.approx(value, rel=1e-3)
    for iteration, value in entry["mmd_teacher"].items():
        assert mmd[iterations.index(int(iteration))] == pytest.approx(value, rel=1e-4)


@pytest.mark.slow
def test_mean_over_the_published_seeds():
    entry = next(entry for entry in ENTRIES if entry["id"] == "paperscale_6seeds_unbiased_M32")
    runs = [full_run(seed, 32, 1e-3, 1.0, 100.0, entry["iters"]) for seed in range(6)]
    risk, mmd = (np.array(values) for values in zip(*runs, strict=True))
    np.testing.assert_allclose(risk.mean(axis=0), entry["loss"], rtol=1e-3)
    np.testing.assert_allclose(mmd.mean(axis=0), entry["mmd"], rtol=1e-4)
    np.testing.assert_allclose(mmd.std(axis=0), entry["mmd_std"], rtol=1e-3)


@pytest.mark.parametrize("entry", entries("diffusion"))
def test_diffusion(entry):
    """Against a finite-volume solution with the same cell averages, and to first order against the original scheme."""
    solution = entry["own_fv_cellavg"]
    diffusion = Diffusion.of(CircleTeacher(entry["gamma"]), entry["grid"])
    times, spacing = np.array([float(time) for time in solution]), 2 * np.pi / entry["grid"]
    target = CircleMeasure.at(diffusion.centres, diffusion.target * spacing)
    for stored, density in zip(solution.values(), diffusion.solve(times), strict=True):
        at, values = zip(*stored["density_at"].items(), strict=True)
        np.testing.assert_allclose(density[list(map(int, at))], list(values), rtol=0, atol=2e-6)
        mmd = circle_mmd(CircleMeasure.at(diffusion.centres, density * spacing), target)
        assert mmd == pytest.approx(stored["mmd_to_fstar"], abs=1e-4)  # its f* is sampled, ours averaged


def test_sampler():
    entry = next(entry for entry in ENTRIES if entry["id"] == "sampler_seed0_g100")
    sample = CircleTeacher(entry["gamma"]).sample(np.random.RandomState(entry["seed"]).rand(entry["N"]))
    np.testing.assert_allclose(sample, entry["orig_angles_shifted_every_third_from_index1"], atol=1e-6)


def test_density():
    entry = next(entry for entry in ENTRIES if entry["kind"] == "unit_density")
    np.testing.assert_allclose(
        CircleTeacher(entry["gamma"]).density(np.array(entry["x"])), entry["analytic"], rtol=1e-12
    )


def test_smoothing():
    entry = next(entry for entry in ENTRIES if entry["kind"] == "unit_smoothing")
    count = entry["N_points"]
    at = -np.pi + (np.arange(count) + 0.5) * 2 * np.pi / count
    smooth = smoothed_density(np.array(entry["points"]), at, entry["scale"])
    np.testing.assert_allclose(smooth[entry["index"]], entry["orig"], rtol=1e-12)


def test_distances():
    entry = next(entry for entry in ENTRIES if entry["kind"] == "unit_mmd")
    first, second = (angles(np.array(entry[f"{name}_circle"])) for name in "AB")
    mmd = circle_mmd(CircleMeasure.at(first), CircleMeasure.at(second, np.array(entry["c2"])))
    assert mmd == pytest.approx(entry["orig_chord"], abs=1e-12)
    torus = pairwise_mmd(np.array(entry["A_torus"]), np.array(entry["B_torus"]), torus_distance)
    assert torus == pytest.approx(entry["orig_torus_uniform"], abs=1e-12)


def test_torus_sampler():
    entry = next(entry for entry in ENTRIES if entry["id"] == "sampler2d_seed3_g10")
    stream = np.random.RandomState(entry["seed"])
    uniform = np.stack([stream.rand(entry["N"]) for _ in range(2)])
    centres = np.resize([[-1, 0], [1, 1]], (entry["N"], 2))
    wanted = np.mod(2 * np.array(entry["orig"]) + centres + 2, 4) - 2
    np.testing.assert_allclose(
        sample_torus_teacher(uniform, entry["gamma"]), wanted, rtol=0, atol=5e-6
    )  # single precision
