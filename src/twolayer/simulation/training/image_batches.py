"""Labelled colour images on a device, in batches."""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

# mean and deviation of red, green and blue in CIFAR-10
_MEAN, _DEVIATION = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)
_PADDING = 4  # black pixels around an image, some of which a crop may contain


class ImageBatches:
    """Images as bytes, which are smaller than floats and equally fast to read, and are normalised in each batch.

    Args:
        pixels: (n, H, W, 3) uint8. labels: (n,) uint8. device: device of the images.

    Source: barboni2025, section 6.2.
    """

    def __init__(self, pixels: np.ndarray, labels: np.ndarray, device: torch.device):
        self.device = device
        self._height, self._width = pixels.shape[1:3]
        around = (0, 0, _PADDING, _PADDING, _PADDING, _PADDING)
        self._padded = functional.pad(torch.from_numpy(pixels), around).to(device)
        self._labels = torch.from_numpy(labels).long().to(device)
        self._mean, self._deviation = torch.tensor([_MEAN, _DEVIATION], device=device)

    def __len__(self) -> int:
        return len(self._labels)

    def shuffled(self, batch_size: int, generator: torch.Generator) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield every image once, each cropped at random after padding, and mirrored with probability 1/2.

        Args:
            generator: random numbers on the same device. The last batch may be smaller than the others.

        Returns: batches of images (B, 3, H, W), normalised, channels last in memory, and labels (B,).
        """
        for chosen in torch.randperm(len(self), generator=generator, device=self.device).split(batch_size):
            count = len(chosen)
            top, left = torch.randint(2 * _PADDING + 1, (2, count, 1), generator=generator, device=self.device)
            mirrored = torch.randint(2, (count, 1), generator=generator, device=self.device).bool()
            rows, columns = (torch.arange(size, device=self.device) for size in (self._height, self._width))
            columns = torch.where(mirrored, columns.flip(0), columns)
            yield self._take(chosen, top + rows, left + columns)

    def in_order(self, batch_size: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield every image once, without changes."""
        rows, columns = (
            _PADDING + torch.arange(size, device=self.device).expand(1, -1) for size in (self._height, self._width)
        )
        for chosen in torch.arange(len(self), device=self.device).split(batch_size):
            yield self._take(chosen, rows, columns)

    def _take(self, chosen, rows, columns):
        """Return the chosen images' pixels at rows (B, H) and columns (B, W) of the padded image."""
        pixels = self._padded[chosen[:, None, None], rows[:, :, None], columns[:, None, :]]
        images = (pixels / 255 - self._mean) / self._deviation
        return images.permute(0, 3, 1, 2), self._labels[chosen]
