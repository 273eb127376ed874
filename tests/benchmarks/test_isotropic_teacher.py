"""The learning curve of erf units on isotropic inputs, compiled, against the published equations in numpy.

K = 8 student units and M = 4 teacher units learn for a time of 100. The target is 0.2 s on one core after compilation.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from textbook_integrals import I2, I3, I4, J2

from twolayer.model.networks.learning import LayerRates
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.theory.teacher_student.isotropic_teacher import IsotropicTeacher
from twolayer.theory.teacher_student.signal_averages import Signals

RATE, NOISE, K, M = 4.0, 0.1, 8, 4
TIMES = np.linspace(0, 100, 20)
V, A = np.full(K, 1 / K), np.full(M, 1 / M)


def start():
    root = np.random.default_rng(0).standard_normal((K + M, 4 * K))
    C = root @ root.T / (4 * K)
    return C[:K, :K], C[:K, K:], C[K:, K:]


def textbook(times):
    """pmse at the times, every pair of units in turn."""
    Q0, R0, T = start()
    u, fields = np.concatenate([V, -A]), range(K + M)

    def covariance(y):
        Q, R = y[: K * K].reshape(K, K), y[K * K :].reshape(K, M)
        return np.block([[Q, R], [R.T, T]])

    def drift(_, y):
        C, dC = covariance(y), np.zeros((K, K + M))
        for k in range(K):
            for b in fields:
                dC[k, b] -= RATE * V[k] * sum(u[a] * I3(C, k, b, a) for a in fields)
                if b < K:
                    dC[k, b] -= RATE * V[b] * sum(u[a] * I3(C, b, k, a) for a in fields)
                    square = sum(u[a] * u[c] * I4(C, k, b, a, c) for a in fields for c in fields)
                    dC[k, b] += RATE**2 * V[k] * V[b] * (square + NOISE**2 * J2(C, k, b))
        return np.concatenate([dC[:, :K].ravel(), dC[:, K:].ravel()])

    y0 = np.concatenate([Q0.ravel(), R0.ravel()])
    found = solve_ivp(drift, (0, times[-1]), y0, method="DOP853", t_eval=times, rtol=1e-8, atol=1e-12)
    return [sum(u[a] * u[b] * I2(C, a, b) for a in fields for b in fields) / 2 for C in map(covariance, found.y.T)]


def ours(times):
    signals, rates = Signals("erf", "erf", NOISE), LayerRates(RATE)
    return IsotropicTeacher(signals, rates, OrderParameters(*start()), V, A).solve(times).pmse


@pytest.mark.benchmark(group="learning curve of a student and its teacher, K=8, M=4, t=100")
class TestLearningCurve:
    def test_compiled(self, benchmark):
        found = benchmark(ours, TIMES)
        assert found[-1] < found[0]

    def test_textbook(self, benchmark):
        times = TIMES if benchmark.enabled else TIMES[:2] / 20
        found = benchmark.pedantic(textbook, (times,), rounds=1)
        np.testing.assert_allclose(ours(times), found, rtol=1e-6)
