"""Results that somebody has altered since a function made them: they are read as they are meant, or refused."""

import numpy as np
import pytest
import xarray as xr

import twolayer as tl
from twolayer import io
from twolayer.experiments import TASKS
from twolayer.pipeline.cli import main

GIVEN = {"means": [[1.0, 0.0, 0.3], [-1.0, 0.5, 0.0]], "labels": [1, -1], "weights": [0.3, 0.7]}
MIXTURE = tl.Mixture(**GIVEN, sigma=0.5, dimension=20)
INPUTS = sorted(
    {
        (role.rstrip("?"), maker)
        for task in TASKS.values()
        for role in task.inputs
        for maker in task.makers(role.rstrip("?"))
        if TASKS[maker].result.variables
    }
)


@pytest.fixture(scope="module")
def mixture():
    return tl.isotropic_mixture(MIXTURE)


@pytest.mark.parametrize(("role", "maker"), INPUTS)
def test_variables_that_are_missing_are_named(role, maker):
    layout = TASKS[maker].result
    with pytest.raises(tl.ResultError, match=f"^{role} lacks the variable '.*': make it again$"):
        layout.conforming(xr.Dataset(), role)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda made: made.drop_vars("means"), "mixture lacks the variable 'means': make it again"),
        (
            lambda made: made.rename(axis="direction"),
            "'means' of mixture has the dimensions .'cluster', 'direction'.",
        ),
        (lambda made: made.assign(weights=1.0), r"'weights' of mixture has the dimensions \(\)"),
        (lambda made: made.assign(means=made.means * np.nan), "'means' of mixture has a number that is not finite"),
        (lambda made: made.assign(means=made.means * 1e40), "'means' of mixture has a number .* above 1e[+]30"),
        (lambda made: made.assign(means=made.means + 0j), "'means' of mixture has values that are not numbers"),
        (
            lambda made: made.assign(labels=made.labels.astype(str)),
            "'labels' of mixture has values that are not numbers",
        ),
        (lambda made: made.isel(cluster=slice(0)), "of mixture has values that are not numbers"),
        (lambda made: made.assign(input_dimension=0.5), "with other values of input_dimension"),
        (lambda made: made.assign(input_dimension=1e20), "with other values of input_dimension"),
    ],
)
def test_what_is_no_result(mixture, change, message):
    with pytest.raises(tl.TwolayerError, match=message):
        tl.bayes_error(change(mixture))


def test_the_order_of_dimensions_does_not_matter(mixture):
    turned = mixture.transpose(..., "cluster")
    assert turned.means.dims == ("axis", "cluster")
    assert float(tl.bayes_error(turned).bayes_error[0]) == float(tl.bayes_error(mixture).bayes_error[0])


def test_covariances_with_negative_variances():
    rng = np.random.default_rng(0)
    feature_covariances = tl.feature_covariances(
        rng.standard_normal((200, 3)), np.sign(rng.standard_normal(200)), standardize=True
    )
    problem = tl.ConvexProblem(sample_ratios=[1.0], ridges=[0.1], labels="classes")
    with pytest.raises(tl.ConfigError, match="with other values of"):
        tl.data_learning(
            feature_covariances.assign(Omega=-feature_covariances.Omega), problem, seeds=2, test_samples=10
        )


@pytest.mark.parametrize("sizes", [None, "x", "[1]", "[" * 10_000])
def test_sizes_of_a_generator_that_are_no_object(sizes):
    made = tl.sign_generator(widths=[4, 6])
    with pytest.raises(tl.ResultError, match=r"the result has sizes .*: make it again"):
        tl.moments(made.assign_attrs(sizes=sizes), samples=100)


def test_a_file_with_other_variables(mixture, tmp_path, capsys):
    io.write(mixture.drop_vars("weights"), tmp_path / "mixture.nc")
    given = ["--input", f"mixture={tmp_path / 'mixture.nc'}", "--output", str(tmp_path / "found.nc")]
    assert main(["run", "bayes_error", "--params", "{}", *given]) == 2
    assert "mixture.nc lacks the variable 'weights': make it again" in capsys.readouterr().err
