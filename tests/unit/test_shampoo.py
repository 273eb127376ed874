import numpy as np
import pytest
import torch
from scipy.linalg import fractional_matrix_power

from twolayer.simulation.training.shampoo import Shampoo

EPSILON, RATE = 1e-4, 0.64


def preconditioned(gradient, gathered):
    """A step of the definition, mode after mode, for one parameter; `gathered` is changed."""
    order = gradient.ndim
    for mode in range(order):
        matrix = np.moveaxis(gradient, mode, 0).reshape(gradient.shape[mode], -1)
        gathered[mode] = gathered[mode] + matrix @ matrix.T
        root = fractional_matrix_power(gathered[mode], -1 / order)
        gradient = np.moveaxis(np.tensordot(root, gradient, (1, mode)), 0, mode)
    return gradient


@pytest.mark.parametrize("shape", [(5,), (4, 6), (3, 4, 2, 2), (4, 2, 1, 1)])
def test_steps_are_those_of_the_definition(shape):
    rng = np.random.default_rng(0)
    parameters = [torch.tensor(rng.standard_normal(shape), requires_grad=True) for _ in range(2)]
    other = torch.zeros(7, dtype=torch.float64, requires_grad=True)  # another shape
    expected = [parameter.detach().numpy().copy() for parameter in parameters]
    gathered = [[EPSILON * np.eye(size) for size in shape] for _ in parameters]
    optimizer = Shampoo([*parameters, other], RATE, EPSILON)
    for _ in range(3):
        other.grad = torch.ones_like(other)
        for position, parameter in enumerate(parameters):
            gradient = rng.standard_normal(shape)
            parameter.grad = torch.tensor(gradient)
            expected[position] -= RATE * preconditioned(gradient, gathered[position])
        optimizer.step()
    for parameter, value in zip(parameters, expected, strict=True):
        np.testing.assert_allclose(parameter.detach().numpy(), value, rtol=1e-9, atol=1e-9)


def test_first_step_of_a_matrix_is_along_its_polar_factor():
    """L^(-1/2) G makes all singular values one, and what comes after finds nothing left to do."""
    gradient = torch.randn(6, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    parameter = torch.zeros_like(gradient).requires_grad_()
    parameter.grad = gradient
    Shampoo([parameter], 1.0, epsilon=1e-12).step()
    left, _, right = torch.linalg.svd(gradient, full_matrices=False)
    torch.testing.assert_close(-parameter.detach(), left @ right, rtol=1e-6, atol=1e-6)


def test_a_large_gradient_leaves_the_small_start_intact():
    """In single precision 1e-4 would drown in 1e8, and the next eigenvalue could be negative."""
    parameter = torch.zeros(16, requires_grad=True)
    optimizer = Shampoo([parameter], RATE)
    for seed in range(3):
        parameter.grad = 1e4 * torch.randn(16, generator=torch.Generator().manual_seed(seed))
        optimizer.step()
    assert torch.isfinite(parameter).all()
    assert parameter.dtype == torch.float32
