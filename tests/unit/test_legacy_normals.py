"""Normal numbers of NumPy's legacy generator, against that generator."""

import numpy as np
import pytest

from twolayer.model.legacy_normals import legacy_normals


@pytest.mark.parametrize("seed", range(3))
def test_numbers_and_generator_are_those_of_numpy(seed):
    """Whatever else is drawn between: odd and even numbers of them, none, one, and more than are made at a time."""
    ours, numpys, sizes = np.random.RandomState(seed), np.random.RandomState(seed), np.random.default_rng(seed)
    for size in [0, 1, 0, 2, *sizes.integers(0, 20, 40), *sizes.integers(0, 10_000, 40), 100_001]:
        np.testing.assert_array_equal(legacy_normals(ours, (size,)), numpys.standard_normal(size))
        for mine, its in zip(ours.get_state(), numpys.get_state(), strict=True):
            np.testing.assert_array_equal(mine, its)
        uniform = int(sizes.integers(0, 4))
        np.testing.assert_array_equal(ours.random_sample(uniform), numpys.random_sample(uniform))


def test_shape():
    np.testing.assert_array_equal(
        legacy_normals(np.random.RandomState(1), (3, 5, 7)), np.random.RandomState(1).standard_normal((3, 5, 7))
    )
