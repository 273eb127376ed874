"""Sweeps go on at a point that does not converge: it is NaN and marked, and there is a warning that names it."""

import importlib

import numpy as np
import pytest
import xarray as xr

import twolayer as tl
from twolayer.figures.evidence import Evidence, Source
from twolayer.pipeline.report.checks import check_results

FEATURES = tl.gaussian_feature_covariances(dimension=20)
TWO = tl.Mixture(means=[[1.0], [-1.0]], labels=[1, -1], sigma=0.5, dimension=20)
THREE = tl.Mixture(means=np.eye(3), labels=[0, 1, 2], sigma=0.5, dimension=20)
XOR = tl.Mixture(shape="xor", sigma=0.3, dimension=100)
TINY, STRONG, WEAK = 1e-28, 20.0, 0.1  # ridges; no theory resolves the first


def problem(loss, ridges, ratios=(1.0,), **given):
    return tl.ConvexProblem(losses=[loss], ridges=ridges, sample_ratios=ratios, **given)


def sparse(ridges, ratios=(1.0,)):
    """At a ratio of 1 and ridges near STRONG, the hinge loss leaves a share of weights below 1e-40."""
    return problem("hinge", ridges, ratios, penalty="l1")


def one_step(function, width, **given):
    data = tl.SpikedData(input_dimension=40, samples=60)
    return function(data, tl.Axes(width=width), ridge=TINY, activations=["tanh"], **given)


# name -> function of the points of the sweep, points that converge, points that do not, and part of the warning
HARD = {
    "replica": (lambda ridges: tl.replica(FEATURES, sparse(ridges)), [WEAK], [STRONG], "loss hinge, sample_ratio 1, "),
    "optimal_ridge": (
        lambda ratios: tl.optimal_ridge(FEATURES, sparse([STRONG, 1.2 * STRONG], ratios)),
        [1e5],
        [1.0],
        "loss hinge, sample_ratio 1 is NaN",
    ),
    "mixture_replica": (
        lambda ridges: tl.replica(TWO, problem("square", ridges)),
        [WEAK],
        [TINY],
        "ridge 1e-28 is NaN",
    ),
    "trained_error": (
        lambda sigma: tl.trained_error(
            XOR, tl.Student("relu", hidden_units=2), tl.Schedule(learning_rate=3, last_time=1), sigma=sigma, seeds=2
        ),
        [0.1],
        [30.0],
        "sigma 30 is NaN",
    ),
    "frozen_features": (lambda width: one_step(tl.frozen_features, width), [0.5], [1.0], "width 1, activation tanh"),
    "one_step_theory": (
        lambda width: one_step(tl.one_step_theory, width, seeds=2, seed=0),
        [0.5],
        [1.0],
        "width 1, activation tanh is NaN",
    ),
}


def values_of(result):
    """The variables that the sweep computes, and the flag."""
    own = [one for one in result.data_vars.values() if set(one.dims) >= set(result.converged.dims)]
    return [one for one in own if one.name != "bayes_error"]


@pytest.mark.parametrize("name", HARD)
def test_a_sweep_goes_on(name):
    """The other points have the results that they have without the hard point."""
    function, easy, hard, named = HARD[name]
    alone = function(easy)
    assert (alone.converged == 1).all()
    with pytest.warns(tl.UnconvergedPoint, match=named) as found:
        both = function([*easy, *hard])
    assert all("\n" not in str(one.message) for one in found)
    marked = both.converged == 0
    assert 0 < marked.sum() < marked.size
    for one in values_of(both):
        assert bool(one.where(marked, drop=True).isnull().all() | (one.name == "converged"))
        assert bool(one.where(~marked, 0.0).notnull().all())
    kept = both.where(~marked, drop=True)
    for one in values_of(alone):
        np.testing.assert_array_equal(np.squeeze(kept[one.name].transpose(*one.dims).values), np.squeeze(one.values))
    with pytest.raises(tl.NotConverged):
        function(hard)


def test_marked_points_can_be_written(tmp_path):
    function, easy, hard, _ = HARD["replica"]
    with pytest.warns(tl.UnconvergedPoint):
        result = function([*easy, *hard])
    tl.write(result, tmp_path / "sweep.nc")
    assert tl.read(tmp_path / "sweep.nc").converged.values.ravel().tolist() == [1.0, 0.0]
    with pytest.raises(tl.ResultError, match="made NaN in its result 'training_loss'"):
        tl.write(result.assign(converged=result.converged * 0 + 1), tmp_path / "unmarked.nc")


NETWORKS = {"input_dimension": 20, "seeds": 2, "test_samples": 50, "features_per_dimension": 0.5}
PLATEAU = tl.Schedule(learning_rate=0.2, last_time=0.5, weight_decay=0.01, train_second_layer=False)
ISOTROPIC = tl.SpikedData(input_dimension=40, samples=60, ranks=[0], ratios=[1], teacher_function="tanh")
# name -> function inside the task that computes a point, and a sweep; its second call fails
FORCED = {
    "classes.class_learning.classifier": lambda: tl.convex_learning(
        THREE, problem("square", [WEAK, 1], [4]), seeds=2, test_samples=50
    ),
    "classes.mixture_learning.binary_classifier": lambda: tl.convex_learning(
        TWO, problem("square", [WEAK, 1]), seeds=2, test_samples=50
    ),
    "classes.class_replica.one_hot_errors": lambda: tl.replica(THREE, problem("square", [WEAK, 1])),
    "replica.convex_learning.learn": lambda: tl.convex_learning(
        FEATURES, problem("square", [WEAK, 1]), seeds=2, test_samples=50
    ),
    "mixtures.fixed_point._row": lambda: tl.fixed_point(
        XOR, student=tl.Student("erf", hidden_units=4), sigma=[0.2, 0.3], learning_rate=0.1, weight_decay=0.1
    ),
    "mixtures.phase_row.plateau": lambda: tl.phase_row(
        XOR, tl.Student("erf", 2, dimension=100), PLATEAU, along="sigma", values=[0.3, 0.5], seeds=2
    ),
    "features.random_features.optimal_readout": lambda: tl.random_features(
        XOR, sigma=[0.2, 0.3], features_per_dimension=[0.2, 0.3], simulated_sigma=[0.2], simulated_samples=20
    ),
    "features.feature_readout.optimal_readout": lambda: tl.feature_readout(
        XOR, features_per_dimension=[0.2, 0.3], projections=2, simulated_samples=20
    ),
    "learned_features.feature_step.mixture_ridge": lambda: tl.feature_step(
        tl.MixtureProblem(sigma=[0.5], sample_ratios=[4], **NETWORKS), steps=[0, 3]
    ),
    "learned_features.projected_features._errors": lambda: tl.projected_features(
        tl.MixtureProblem(sigma=[0.5], sample_ratios=[4], **NETWORKS), iterations=1
    ),
    "kernels.kernel_theory._level": lambda: tl.kernel_theory(XOR, sigma=[0.2, 0.3], samples=[400], ridge=1e-3),
    "one_step.giant_step_limit.giant_step_limit": lambda: tl.giant_step_limit(
        ISOTROPIC, tl.Axes(step_per_unit=[1, 2]), activations=["tanh"]
    ),
    "one_step.one_step_simulation.one_step_errors": lambda: tl.one_step_simulation(
        ISOTROPIC, tl.Axes(step_per_unit=[1, 2]), activations=["tanh"], seeds=2
    ),
    "circle.mean_field_flow.mean_field_flow.MeanFieldFlow.solve": lambda: tl.mean_field_flow(
        gamma=2, ridge=[1.0, 2.0], descent=tl.Descent(iterations=1, step=0.1), harmonics=8, quantiles=16
    ),
    "teacher_student.scaling_row.scaled_path": lambda: tl.phase_row(
        tl.Inputs(dimension=50),
        tl.Student("linear", hidden_units=1),
        teacher=tl.Teacher("linear", hidden_units=1),
        along="delta",
        values=[0.2, 0.3],
        times=[0, 0.1],
        seeds=2,
    ),
}


def failing_once(monkeypatch, path):
    """Let the second call of a function fail."""
    module, names = importlib.import_module("twolayer.experiments"), path.split(".")
    for place, name in enumerate(names[:-1]):
        if not hasattr(module, name):
            importlib.import_module(".".join(["twolayer.experiments", *names[: place + 1]]))
        module = getattr(module, name)
    function, calls = getattr(module, names[-1]), []

    def once(*given, **named):
        calls.append(given)
        if len(calls) == 2:
            raise tl.NotConverged("the solver stops: lower its argument")
        return function(*given, **named)

    monkeypatch.setattr(module, names[-1], once)


@pytest.mark.filterwarnings("ignore::twolayer.errors.SmallSample")
@pytest.mark.parametrize("path", FORCED)
def test_any_solver_may_fail_at_a_point(path, monkeypatch, tmp_path):
    failing_once(monkeypatch, path)
    with pytest.warns(tl.UnconvergedPoint, match="is NaN, because the solver stops: lower its argument") as found:
        result = FORCED[path]()
    marked = result.converged == 0
    assert len(found) == 1
    assert marked.sum() == 1
    computed = [one for one in values_of(result) if one.dtype.kind == "f" and one.isnull().any()]
    assert computed
    for one in computed:
        np.testing.assert_array_equal(one.isnull(), (marked & one.notnull() | one.isnull()) & marked)
    tl.write(result, tmp_path / "sweep.nc")


def test_a_figure_of_a_run_with_such_a_point_fails(monkeypatch):
    """All other checks of a figure leave out NaN."""
    run = xr.Dataset({"q": ("ridge", [1.0, np.nan]), "converged": ("ridge", [1.0, 0.0])}, {"ridge": [0.1, 1.0]})
    monkeypatch.setattr(check_results, "module_function", lambda figure, name: lambda evidence: [])

    def judged(run):
        return check_results.judge(None, Evidence("quick", {"theory": Source(run)}))

    (outcome,) = judged(run)
    assert (outcome.status, outcome.title, outcome.note) == (
        "fail",
        "theory: every point converges",
        "worst of 2 points: ridge 1",
    )
    assert judged(run.isel(ridge=[0])) == []


def test_a_sweep_without_a_result_raises():
    with pytest.raises(tl.NotConverged, match="sample ratio 1 and ridge 20 do not converge"):
        tl.replica(FEATURES, sparse([STRONG, 1.2 * STRONG]))


@pytest.mark.parametrize(
    ("function", "variable"),
    [
        (lambda values: tl.teacher_distribution(gamma=values, samples=100), "frequency"),
        (
            lambda values: tl.scaling_row(
                tl.Inputs(dimension=30),
                tl.Student("erf", 2),
                tl.Teacher("erf", hidden_units=2),
                along="kappa",
                values=values,
                times=[1.0],
                seeds=2,
            ),
            "pmse",
        ),
    ],
    ids=["teacher_distribution", "scaling_row"],
)
def test_a_point_has_its_own_random_numbers(function, variable):
    """They do not depend on the other points."""
    several, one = function([0.0, 0.25])[variable], function([0.25])[variable]
    np.testing.assert_array_equal(several[1], one[0])
