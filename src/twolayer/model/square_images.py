"""Images as generators learn them: square, of few pixels, colour by colour and row by row."""

import numpy as np

SIZE = 32  # height and width of the largest; smaller images are framed in black


def square_images(pixels: np.ndarray, size: int, grey: bool = False) -> np.ndarray:
    """Averages of the pixels over squares, and of the colours where it shall be grey, rounded.

    Args:
        pixels: (n, H, W) or (n, H, W, 3) uint8, H and W at most `SIZE`. size: of the result, a divisor of `SIZE`.

    Returns: (n, colours, size, size) uint8.
    """
    planes = np.moveaxis(pixels.reshape(*pixels.shape[:3], -1), -1, 1)
    if grey:
        planes = planes.mean(1, keepdims=True, dtype=np.float32)
    frame = [((SIZE - length) // 2,) * 2 for length in planes.shape[2:]]
    framed = np.pad(planes, [(0, 0), (0, 0), *frame])
    square = SIZE // size
    means = framed.reshape(*framed.shape[:2], size, square, size, square).mean((3, 5), dtype=np.float32)
    return np.rint(means, out=means).astype(np.uint8)
