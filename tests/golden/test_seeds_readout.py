"""Online training of a readout against stored values (tests/golden/seeds)."""

from pathlib import Path

import numpy as np
import pytest

from twolayer.errors import ConfigError
from twolayer.model.networks.learning import Learning
from twolayer.theory.mixtures.readout_training import ReadoutLearning

STORED = np.load(Path(__file__).parent / "seeds" / "b_readout.npz")


def learning(rate=None, decay=None):
    rates = (float(STORED[name]) if given is None else given for name, given in (("lr", rate), ("reg", decay)))
    return ReadoutLearning(STORED["E_zz"], STORED["E_yz"], Learning(*rates))


def test_mean_and_errors():
    theory, start, steps = learning(), STORED["w0"], STORED["steps"]
    mean = theory.mean_weights(start, steps)
    np.testing.assert_allclose(mean, STORED["mean_w"], atol=1e-8)
    np.testing.assert_allclose(theory.pmse_of(mean), STORED["pmse_of_mean"], atol=1e-8)
    np.testing.assert_allclose(theory.mean_pmse(start, steps), STORED["risk_diagonal"], atol=1e-8)
    np.testing.assert_allclose(STORED["risk_diagonal"], STORED["risk_closed"], rtol=7e-3)  # which neglects terms


def test_no_step_leaves_the_weights_as_they_are():
    """Rounding of weights of zero would decide the signs of outputs, and so a class error that is one half."""
    F = len(STORED["w0"])
    for start in (np.zeros(F), STORED["w0"]):
        np.testing.assert_array_equal(learning().mean_weights(start, np.array([0, 5]))[0], start)


def test_stored_simulations_lie_near_the_equations():
    """The dimension is 10, where features are not Gaussian within a cluster: 1 to 2 % more than the equations."""
    error = learning().mean_pmse(STORED["w0"], STORED["steps"])
    assert np.all(np.abs(STORED["risk_sgd"] - error) < 0.02 * error + 4 * STORED["risk_sgd_se"])


def test_the_stationary_state():
    theory = learning(rate=0.5, decay=0.0)
    end = theory.mean_pmse(STORED["w0"], np.array([2_000_000]))
    assert end[0] == pytest.approx(theory.stationary_pmse(), rel=1e-6)
    with pytest.raises(ConfigError, match=r"weight_decay is 0\.01"):
        learning().stationary_pmse()


def test_a_learning_rate_beyond_stability_is_refused():
    largest = learning().largest_rate
    with pytest.raises(ConfigError, match="stable only above 0 and below"):
        learning(rate=largest)


def test_the_mean_of_short_simulations():
    """Thirty lines of SGD on Gaussian features with these moments have the mean of the equations."""
    rng, F, runs = np.random.default_rng(0), 18, 4000
    spread = STORED["E_zz"] - np.outer(STORED["E_yz"], STORED["E_yz"])  # z = y E[yz] + noise, y = +-1
    root = np.linalg.cholesky(spread)
    w = np.tile(STORED["w0"], (runs, 1))
    theory = learning()
    for _ in range(60):
        y = rng.choice([-1.0, 1.0], runs)
        z = y[:, None] * STORED["E_yz"] + rng.standard_normal((runs, F)) @ root.T
        error = y - np.einsum("rf,rf->r", w, z) / np.sqrt(F)
        rate, decay = theory.learning.learning_rate, theory.learning.weight_decay
        w = (1 - rate * decay / F) * w + rate / np.sqrt(F) * error[:, None] * z
    expected = theory.mean_weights(STORED["w0"], np.array([60]))[0]
    deviation = w.std(axis=0) / np.sqrt(runs)
    assert np.all(np.abs(w.mean(axis=0) - expected) < 5 * deviation)
    mean_error = theory.pmse_of(w).mean()
    assert theory.mean_pmse(STORED["w0"], np.array([60]))[0] == pytest.approx(mean_error, rel=0.02)
