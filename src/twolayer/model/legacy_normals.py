"""Normal numbers of NumPy's legacy generator, bit for bit, in a third of its time.

That generator draws them one by one: four words of the Mersenne Twister make a point of a square, and a point in the
circle makes two normal numbers (Marsaglia's polar method). Here each step is taken for a thousand points at once.
"""

import math

import numpy as np
from numba import njit

_STATE, _MIDDLE = 624, 397  # words that the twister keeps; the distance of those that it mixes
_AT_ONCE = _STATE - _MIDDLE  # words that follow from words before all of them
_STATES = 8  # made at a time, which stay in a core's own cache
_POINT = 4  # words of a point, two for each coordinate
_HIGH, _LOW, _TWIST = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(0x9908B0DF)
_SEVEN, _FIFTEEN = np.uint32(0x9D2C5680), np.uint32(0xEFC60000)  # masks of what is shifted so far
_PER_HIGH, _PER_STEP = 2.0**26, 2.0**-53  # a coordinate has 27 bits of one word and 26 of the next


def legacy_normals(generator: np.random.RandomState, shape: tuple[int, ...]) -> np.ndarray:
    """What `generator.standard_normal(shape)` returns; leaves the generator as that does.

    Source: matsumoto1998 for the bits, marsaglia1964 for the pairs.
    """
    name, key, position, waiting, spare = generator.get_state()
    numbers = np.empty(shape)
    rest = numbers.reshape(-1)
    if waiting and rest.size:
        rest[0], waiting, rest = spare, 0, rest[1:]
    if rest.size:
        key, position, spare = _fill(key, position, rest)
        waiting = rest.size % 2
    generator.set_state((name, key, position, waiting, spare if waiting else 0.0))
    return numbers


@njit(cache=True, nogil=True)
def _fill(key, position, numbers):
    """Normal numbers from the words of a state, from a position on.

    Returns: the state and the position after them, and the number that is left over where they are odd.
    """
    size = _STATE * (1 + min(_STATES, 1 + _POINT * numbers.size // _STATE))
    words, bits = np.empty(size, np.uint32), np.empty(size, np.uint32)
    x, y, square = np.empty(size // _POINT), np.empty(size // _POINT), np.empty(size // _POINT)
    for i in range(_STATE):
        words[i] = key[i]
    done, spare = 0, 0.0
    while done < numbers.size:
        for start in range(_STATE, size, _AT_ONCE):
            stop = min(start + _AT_ONCE, size)
            _twist(words[start - _STATE :], words[start - _STATE + 1 :], words[start - _AT_ONCE :], words[start:stop])
        _temper(words[position:], bits)
        seen = (size - position) // _POINT
        _place(bits, x[:seen], y, square)
        seen, inside = _keep_inside(x[:seen], y, square, (numbers.size - done + 1) // 2)
        spare = _fill_pairs(x[:inside], y, square, numbers[done:])
        done += 2 * inside
        position += _POINT * seen
        start = (position - 1) // _STATE * _STATE  # of the state that the last word lies in
        for i in range(_STATE):
            words[i] = words[start + i]
        position -= start
    return words[:_STATE], position, spare


@njit(cache=True, nogil=True)
def _twist(now, following, middle, words):
    for i in range(words.size):
        mixed = (now[i] & _HIGH) | (following[i] & _LOW)
        words[i] = middle[i] ^ (mixed >> 1) ^ ((mixed & 1) * _TWIST)


@njit(cache=True, nogil=True)
def _temper(words, bits):
    for i in range(words.size):
        word = words[i]
        word ^= word >> 11
        word ^= (word << 7) & _SEVEN
        word ^= (word << 15) & _FIFTEEN
        bits[i] = word ^ (word >> 18)


@njit(cache=True, nogil=True)
def _place(bits, x, y, square):
    """Points of the square from -1 to 1, and the squares of their distances from its middle."""
    for i in range(x.size):
        a, b, c, d = bits[4 * i], bits[4 * i + 1], bits[4 * i + 2], bits[4 * i + 3]
        x[i] = 2 * ((np.int32(a >> 5) * _PER_HIGH + np.int32(b >> 6)) * _PER_STEP) - 1
        y[i] = 2 * ((np.int32(c >> 5) * _PER_HIGH + np.int32(d >> 6)) * _PER_STEP) - 1
        square[i] = x[i] * x[i] + y[i] * y[i]


@njit(cache=True, nogil=True)
def _keep_inside(x, y, square, wanted):
    """Moves points in the circle to the front, until there are as many as wanted: how many were seen, and kept."""
    kept = 0
    for i in range(x.size):
        x[kept], y[kept], square[kept] = x[i], y[i], square[i]
        kept += 0.0 < square[i] < 1.0
        if kept == wanted:
            return i + 1, kept
    return x.size, kept


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_pairs(x, y, square, numbers):
    """Two normal numbers of each point. Returns: the second of the last, where that is one too many."""
    logarithm, pairs = np.empty(x.size), min(x.size, numbers.size // 2)
    for i in range(x.size):
        logarithm[i] = math.log(square[i])
    for i in range(x.size):
        length = math.sqrt(-2.0 * logarithm[i] / square[i])
        x[i] *= length
        y[i] *= length
    for i in range(pairs):
        numbers[2 * i], numbers[2 * i + 1] = y[i], x[i]
    if pairs == x.size:
        return 0.0
    numbers[2 * pairs] = y[pairs]
    return x[pairs]
