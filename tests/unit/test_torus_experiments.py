"""The tasks on the torus at the smallest size."""

import numpy as np
import pytest
import xarray as xr
from tasks import make

from twolayer.errors import ConfigError

SMALL = {
    "gamma": 100,
    "ridge": 0.01,
    "width": 16,
    "seed": 2,
    "device": "cpu",
    "samples": 128,
    "teacher_width": 64,
    "descent": {"iterations": 60, "every": 20},
}


class NoCheckpoint:
    def read(self):
        return None

    def write(self, state):
        raise AssertionError("so short a run keeps nothing")


def descend(**changes):
    return make("torus_descent", SMALL | changes, checkpoint=NoCheckpoint())


def test_a_network_approaches_its_teacher():
    result = descend(snapshots=[0, 60])
    assert (result.risk.diff("iteration") < 0).all()
    assert float(result.mmd_teacher[-1]) < float(result.mmd_teacher[0])
    assert result.feature.shape == (2, 16, 2)
    assert result.verified.values.tolist() == [0, 22, 60]
    np.testing.assert_allclose(result.verified_risk, result.dense_risk, rtol=1e-5)


def test_precisions_and_devices_agree():
    single, double = (descend(precision=precision) for precision in ("single", "double"))
    np.testing.assert_allclose(single.risk, double.risk, rtol=1e-5)
    np.testing.assert_allclose(double.verified_risk, double.dense_risk, rtol=1e-10)
    np.testing.assert_array_equal(descend(device="auto").iteration, single.iteration)


def test_networks_share_their_teacher_and_data():
    """An infinite concentration, written as null, is a teacher of two features."""
    few, many = (descend(gamma=None, teacher_width=width) for width in (2, 64))
    np.testing.assert_allclose(few.risk, many.risk, rtol=1e-5)
    assert np.isinf(few.gamma)


def test_a_teacher_is_the_one_that_runs_learn_from():
    teacher = make("torus_teacher", {"gamma": 100, "seed": 2, "teacher_width": 64, "points": 60})
    assert float(teacher.mean_signal) == pytest.approx(float(teacher.theory_mean_signal), rel=1e-3)
    assert float(abs(teacher.spread - teacher.theory_spread).max()) < 4 * float(teacher.spread_sem[0, 0])
    assert float(teacher.peak_distance) < 0.3


def test_densities_follow_their_features():
    """A narrow cloud loses nothing over the edges. First and second moments and pairs agree."""
    points = np.random.default_rng(0).multivariate_normal([-0.5, 0.3], [[0.05, 0.02], [0.02, 0.02]], 200)
    features = xr.DataArray(points[None], dims=("snapshot", "index", "axis"), coords={"snapshot": [0]})
    result = make("plane_density", {"iterations": [0], "points": 201}, descent=xr.Dataset({"feature": features}))
    density = result.density[0].astype(float) * 0.02**2
    assert float(density.sum()) == pytest.approx(1, rel=1e-3)
    np.testing.assert_allclose([(density * density[name]).sum() for name in "xy"], points.mean(axis=0), atol=1e-3)
    np.testing.assert_allclose(result.centre, result.feature_centre.transpose(*result.centre.dims), atol=1e-3)
    spread = float((density * density.y**2).sum() - result.centre.sel(axis="y")[0] ** 2)
    assert spread == pytest.approx(points[:, 1].var(ddof=1) * (1 + 200 ** (-1 / 3)), rel=0.01)  # Scott's rule
    np.testing.assert_allclose(result.mean_density, result.pair_density, rtol=1e-3)


def test_a_descent_takes_the_work_of_its_features_from_the_risk():
    result = descend(descent={"iterations": 400, "every": 100}, precision="double")
    first, last = (result.sel(iteration=iteration) for iteration in (100, 400))
    assert float(first.risk - last.risk) == pytest.approx(float(last.dissipated - first.dissipated), rel=1e-3)


def test_densities_have_unit_mass_but_for_the_edges():
    descent = descend(snapshots=[0, 60])
    result = make("plane_density", {"iterations": [60], "points": 41}, descent=descent)
    mass = float(result.density[0].sum()) * 0.1**2
    assert 0.7 < mass < 1
    with pytest.raises(ConfigError, match="iterations has 20, but input 'descent' has no snapshot of it"):
        make("plane_density", {"iterations": [20]}, descent=descent)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ridge": 0}, "ridge is 0.0: it must be above 0"),
        ({"width": 0}, "width is 0: it must be at least 1"),
        ({"gamma": -1}, "gamma is -1.0: it must be at least 0"),
        ({"gamma": float("inf")}, "gamma is inf: it must be a finite number"),
        ({"gamma": None, "teacher_width": 3}, "teacher_width is 3: with infinite gamma .* give an even number"),
        ({"precision": "half"}, "precision is 'half': choose one of single, double"),
        ({"snapshots": [7]}, "snapshots has the iteration 7, which is not measured"),
        ({"verified": 1}, "verified is 1: it must be at least 2"),
        ({"device": "tpu"}, "device is 'tpu': choose one of auto, cpu, cuda"),
    ],
)
def test_bad_values(change, words):
    with pytest.raises(ConfigError, match=words):
        descend(**change)


def test_a_gpu_that_is_not_there(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ConfigError, match="device is 'cuda', but torch finds no GPU here"):
        descend(device="cuda")
