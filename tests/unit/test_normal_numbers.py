"""Normal numbers drawn many at a time: their bits, the formula, and their distribution."""

import numpy as np
import pytest
from scipy.stats import kstest

from twolayer.model.random import normal_numbers
from twolayer.model.random.normal_numbers import fill_normal


def test_the_bits_are_those_of_philox():
    """The known answers of its authors for a key and a counter of zero, and two more numbers of another key."""
    words = np.empty(12, np.uint32)
    normal_numbers.fill_words(np.uint64(0), np.uint64(0), words)
    np.testing.assert_array_equal(words[::3], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8])
    later = np.empty(4, np.uint32)
    normal_numbers.fill_words(np.uint64(0), np.uint64(2), later)
    np.testing.assert_array_equal(later, words[2::3])


@pytest.mark.parametrize(("count", "width"), [(7, 1301), (2, 512), (1, 1)])
def test_pairs_are_lengths_and_angles(count, width):
    """The same words, by the formula in double precision: each chunk of two rows takes lengths, then angles."""
    key, start = np.uint64(2), 0
    deviations = np.linspace(0.5, 2, width)
    numbers = np.empty((count, width), np.float32)
    normal_numbers.fill_normals(key, deviations.astype(np.float32), numbers)
    for row in range(0, count, 2):
        for begin in range(0, width, normal_numbers.CHUNK):
            here = slice(begin, min(begin + normal_numbers.CHUNK, width))
            size = here.stop - here.start
            words = np.empty(2 * (size + size % 2), np.uint32)
            normal_numbers.fill_words(key, np.uint64(start), words)
            start += words.size // 4
            lengths, angles = (half[:size] for half in np.split(words, 2))
            length = deviations[here] * np.sqrt(-2 * np.log((lengths + 0.5) / 2**32))
            angle = 2 * np.pi * angles / 2**32
            np.testing.assert_allclose(numbers[row, here], length * np.cos(angle), atol=1e-5)
            if row + 1 < count:
                np.testing.assert_allclose(numbers[row + 1, here], length * np.sin(angle), atol=1e-5)


@pytest.mark.slow
def test_the_law_is_normal():
    """Of a hundred thousand numbers in each of some columns, drawn by two calls; and no two columns have to do."""
    rng, count = np.random.default_rng(3), 100_000
    numbers = np.empty((count, 9), np.float32)
    fill_normal(rng, np.full(9, 2.0), numbers[:1001])
    fill_normal(rng, np.full(9, 2.0), numbers[1001:])
    assert min(kstest(column, "norm", (0, 2)).pvalue for column in numbers.T) > 1e-3
    standard = numbers.astype(float) / 2
    for first, second in ((standard, standard), (standard**2 - 1, standard**2 - 1), (standard[:-1], standard[1:])):
        shared = np.corrcoef(first.T, second.T)[:9, 9:] - (np.eye(9) if len(first) == count else 0)
        assert np.abs(shared).max() < 5 / np.sqrt(count)


def test_a_seed_gives_the_same_numbers_again_and_a_second_call_others():
    calls = []
    for rng in (np.random.default_rng(4), np.random.default_rng(4)):
        calls += [np.empty((4, 5), np.float32), np.empty((4, 5), np.float32)]
        fill_normal(rng, np.ones(5), calls[-2])
        fill_normal(rng, np.ones(5), calls[-1])
    np.testing.assert_array_equal(calls[:2], calls[2:])
    assert not np.any(calls[0] == calls[1])
