"""Euler steps of the equations of motion, compiled, against the published equations in numpy; erf units, N = 3072.

The compiled steps are five thousand, so that their start does not count; targets for one of them, on one core, in
microseconds: K = M = 2: 1 with 32 nodes and 25 with all modes; K = M = 4: 5 and 180.
"""

import math

import numpy as np
import pytest
from textbook_integrals import I3, I4

from twolayer.model.networks.activations import ERF
from twolayer.model.networks.learning import Learning
from twolayer.model.teachers.teacher_student import initial_teacher_student
from twolayer.theory.teacher_student.spectral_densities import Densities, compressed
from twolayer.theory.teacher_student.teacher_equations import TeacherEquations, integrate

RATE, STEP, STEPS, DIMENSION = 0.2, 1e-3, 5000, 3072


def pull(C, k, a):
    """Coefficients of the k-th and the a-th density in <g'(k) x g(a)>, from two averages and a determinant."""
    if a == k:
        return I3(C, k, k, k) / C[k, k], 0.0
    both, own = I3(C, k, k, a), I3(C, k, a, a)
    determinant = C[a, a] * C[k, k] - C[k, a] ** 2
    return (C[a, a] * both - C[k, a] * own) / determinant, (C[k, k] * own - C[k, a] * both) / determinant


def textbook_step(networks, densities):
    """One Euler step of q, r and v, every pair of units in turn."""
    rho, q, r, tt = densities.rho, densities.q, densities.r, densities.tt
    K, M = len(networks.v), len(networks.A)
    u = np.concatenate([networks.v, -networks.A])
    C = np.block([[densities.Q, densities.R], [densities.R.T, networks.B @ networks.B.T / networks.B.shape[1]]])
    dq, dr, dv = np.zeros_like(q), np.zeros_like(r), np.zeros(K)
    for k in range(K):
        for a in range(K + M):
            dv[k] -= RATE * u[a] * 2 / math.pi * math.asin(C[k, a] / math.sqrt((1 + C[k, k]) * (1 + C[a, a])))
            of_k, of_a = pull(C, k, a)
            strength = RATE * u[k] * u[a]
            for m in range(M):
                other = rho * r[a, m] if a < K else tt[a - K, m]
                dr[k, m] -= strength * (of_k * rho * r[k, m] + of_a * other)
            for j in range(K):
                other = rho * q[a, j] if a < K else r[j, a - K]
                change = strength * (of_k * rho * q[k, j] + of_a * other)
                dq[k, j] -= change
                dq[j, k] -= change
        for j in range(K):
            squared_error = sum(u[a] * u[b] * I4(C, k, j, a, b) for a in range(K + M) for b in range(K + M))
            dq[k, j] += RATE**2 * rho * densities.mass * u[k] * u[j] * squared_error
    return q + STEP * dq, r + STEP * dr, networks.v + STEP * dv


def problem(units, nodes):
    """Return a problem in which a third of the modes correlate with one latent each, by 0.8."""
    rng = np.random.default_rng(0)
    networks = initial_teacher_student(rng, units, units, DIMENSION, DIMENSION // 3)
    rho = rng.uniform(0.3, 2, DIMENSION)
    student, teacher = networks.W / math.sqrt(DIMENSION), np.zeros((units, DIMENSION))
    teacher[:, : DIMENSION // 3] = 0.8 * np.sqrt(rho[: DIMENSION // 3]) * networks.B / math.sqrt(DIMENSION // 3)
    pairs = ((student, student), (student, teacher), (teacher, teacher))
    densities = Densities(rho, np.full(DIMENSION, 1 / DIMENSION), *(a[:, None] * b for a, b in pairs))
    return networks, densities if nodes is None else compressed(densities, nodes)


@pytest.mark.parametrize("nodes", [32, None])
@pytest.mark.parametrize("units", [2, 4])
class TestEulerSteps:
    def test_compiled(self, benchmark, units, nodes):
        benchmark.group = f"an Euler step, K=M={units}, {nodes or DIMENSION} modes"
        benchmark.extra_info["steps"] = STEPS
        networks, densities = problem(units, nodes)
        numerics = {"times": np.array([0.0, STEP * STEPS]), "step": STEP, "method": "euler"}
        found = benchmark(integrate, TeacherEquations.of(ERF, Learning(RATE)), networks, densities, **numerics)
        assert found.pmse[1] < found.pmse[0]

    def test_textbook(self, benchmark, units, nodes):
        benchmark.group = f"an Euler step, K=M={units}, {nodes or DIMENSION} modes"
        networks, densities = problem(units, nodes)
        q, r, v = benchmark(textbook_step, networks, densities)
        numerics = {"times": np.array([0.0, STEP]), "step": STEP, "method": "euler"}
        order = integrate(TeacherEquations.of(ERF, Learning(RATE)), networks, densities, **numerics)
        np.testing.assert_allclose(order.order.Q[1], q @ densities.rho, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(order.order.R[1], r.sum(axis=-1), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(order.v[1], v, rtol=1e-12)
