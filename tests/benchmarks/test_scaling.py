"""SGD of a committee in order parameters, and times of escape, against textbook implementations.

The textbook takes steps in all dimensions, and integrates the equation of each run by itself.
"""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import erf

from twolayer.model.networks.activations import ERF, activation_named
from twolayer.model.teachers.teacher_student import OrderParameters
from twolayer.simulation.teacher_student.order_parameter_teacher import order_parameter_path
from twolayer.theory.teacher_student.escape import SingleIndex

DIMENSION, RATE, TIME, K, M = 1000, 1.0, 5.0, 4, 2
V, A = np.full(K, 1 / K), np.full(M, 1 / M)
Q, R = 0.5 * np.eye(K), np.full((K, M), 0.2)


def in_order_parameters():
    order, rng = OrderParameters(Q, R, np.eye(M)), np.random.default_rng(0)
    settings = {"learning_rate": RATE, "label_noise": 0.1, "dimension": DIMENSION, "times": [TIME]}
    return order_parameter_path(order, V, A, student=ERF, teacher=ERF, rng=rng, **settings)[0]


def in_all_dimensions():
    rng, C = np.random.default_rng(0), np.block([[Q, R], [R.T, np.eye(M)]])
    frame = np.linalg.qr(rng.standard_normal((DIMENSION, K + M)))[0]
    weights = np.linalg.cholesky(C) @ frame.T * math.sqrt(DIMENSION)
    W, B = weights[:K].copy(), weights[K:]
    for _ in range(round(TIME * DIMENSION)):
        x = rng.standard_normal(DIMENSION)
        z, n = W @ x / math.sqrt(DIMENSION), B @ x / math.sqrt(DIMENSION)
        error = V @ erf(z / math.sqrt(2)) - A @ erf(n / math.sqrt(2)) - 0.1 * rng.standard_normal()
        slope = math.sqrt(2 / math.pi) * np.exp(-(z**2) / 2)
        W -= RATE / math.sqrt(DIMENSION) * error * (V * slope)[:, None] * x
    weights = np.vstack([W, B])
    return weights @ weights.T / DIMENSION


@pytest.mark.benchmark(group="SGD of four units in 1000 dimensions to t = 5")
class TestCommittee:
    def test_order_parameters(self, benchmark):
        benchmark(in_order_parameters)

    def test_textbook(self, benchmark):
        found = benchmark.pedantic(in_all_dimensions, rounds=1)
        np.testing.assert_allclose(found, in_order_parameters(), atol=0.15)


UNIT = SingleIndex(activation_named("hermite2"), 0.1)
STARTS = np.random.default_rng(0).standard_normal(1000) / math.sqrt(DIMENSION)


def by_integrals():
    return UNIT.ode_times(STARTS, 0.7)


def by_runs(starts):
    def reached(_, m):
        return abs(m[0]) - 0.7

    reached.terminal = True
    times = []
    for start in starts:
        path = solve_ivp(lambda _, m: UNIT.rates(m)[0], (0, 500), [start], events=reached, rtol=1e-8, atol=1e-12)
        times.append(path.t_events[0][0])
    return times


@pytest.mark.benchmark(group="escape without noise, one run")
class TestEscape:
    def test_integrals(self, benchmark):
        benchmark.extra_info["steps"] = len(STARTS)
        benchmark(by_integrals)

    def test_textbook(self, benchmark):
        benchmark.extra_info["steps"] = 10
        found = benchmark.pedantic(by_runs, (STARTS[:10],), rounds=1)
        np.testing.assert_allclose(found, by_integrals()[:10], rtol=1e-5)
