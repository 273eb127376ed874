import numpy as np
import pytest
import torch

from twolayer.simulation.training.image_batches import ImageBatches

CPU = torch.device("cpu")
MEAN, DEVIATION = np.array([0.4914, 0.4822, 0.4465]), np.array([0.2023, 0.1994, 0.2010])


@pytest.fixture
def pixels():
    return np.random.default_rng(0).integers(1, 256, size=(40, 8, 6, 3), dtype=np.uint8)


@pytest.fixture
def batches(pixels):
    return ImageBatches(pixels, np.arange(40, dtype=np.uint8), CPU)


def as_pixels(images):
    """Bytes (B, H, W, 3) of normalised images (B, 3, H, W)."""
    return np.rint((images.permute(0, 2, 3, 1).numpy() * DEVIATION + MEAN) * 255).astype(int)


def stream(seed=0):
    return torch.Generator().manual_seed(seed)


def test_in_order(batches, pixels):
    images, labels = zip(*batches.in_order(16), strict=True)
    assert [len(part) for part in images] == [16, 16, 8]
    np.testing.assert_array_equal(as_pixels(torch.cat(images)), pixels)
    assert torch.cat(labels).tolist() == list(range(40))


def test_channels_come_last_in_memory(batches):
    images, _ = next(batches.shuffled(8, stream()))
    assert images.is_contiguous(memory_format=torch.channels_last)


def test_an_epoch_has_every_image_once(batches):
    _, labels = zip(*batches.shuffled(16, stream()), strict=True)
    labels = torch.cat(labels).tolist()
    assert sorted(labels) == list(range(40))
    assert labels != sorted(labels)


@pytest.mark.slow
def test_an_augmented_image_is_a_window_of_the_padded_one(batches, pixels):
    windows = {"top": set(), "left": set(), "mirrored": set()}
    for seed in range(20):
        for images, labels in batches.shuffled(40, stream(seed)):
            for image, label in zip(as_pixels(images), labels.tolist(), strict=True):
                found = [*places(image, pixels[label])]
                assert found
                if len(found) == 1:
                    for name, value in zip(windows, found[0], strict=True):
                        windows[name].add(value)
    assert windows == {"top": set(range(9)), "left": set(range(9)), "mirrored": {False, True}}


def places(image, original):
    """Where in the padded original, mirrored afterwards or not, the image can be from."""
    padded = np.pad(original, ((4, 4), (4, 4), (0, 0)))
    for top in range(9):
        for left in range(9):
            window = padded[top : top + 8, left : left + 6]
            for mirrored in (False, True):
                if np.array_equal(image, window[:, ::-1] if mirrored else window):
                    yield top, left, mirrored


def test_windows_and_mirrors_are_drawn_evenly():
    marked = np.zeros((4000, 8, 8, 3), np.uint8)
    marked[:, 4, 4] = 255  # one bright pixel, which stays inside
    images, _ = next(ImageBatches(marked, np.zeros(4000, np.uint8), CPU).shuffled(4000, stream()))
    rows, columns = np.nonzero(as_pixels(images)[..., 0] == 255)[1:]
    inside = np.bincount(rows, minlength=8)  # offsets 0..8 put it in rows 8..0, of which 8 lies outside
    expected, spread = len(images) * (8 / 9) / 9, np.sqrt(len(images) / 9)
    assert np.all(abs(inside - expected) < 5 * spread)
    left, right = (columns < 4).sum(), (columns >= 4).sum()
    assert abs(left - right) < 5 * np.sqrt(len(rows))


def test_every_second_image_is_mirrored():
    marked = np.zeros((4000, 8, 8, 3), np.uint8)
    marked[:, :, 3], marked[:, :, 4] = 100, 255
    images, _ = next(ImageBatches(marked, np.zeros(4000, np.uint8), CPU).shuffled(4000, stream()))
    columns = as_pixels(images)[..., 0].max(axis=1)
    columns = columns[(columns == 100).any(axis=1) & (columns == 255).any(axis=1)]  # both inside
    mirrored = (columns == 255).argmax(axis=1) < (columns == 100).argmax(axis=1)
    assert abs(mirrored.mean() - 1 / 2) < 4 * np.sqrt(1 / 4 / len(mirrored))


def test_the_same_stream_gives_the_same_batches(batches):
    for (images, labels), (again, labels_again) in zip(
        batches.shuffled(16, stream(3)), batches.shuffled(16, stream(3)), strict=True
    ):
        torch.testing.assert_close(images, again, rtol=0, atol=0)
        assert torch.equal(labels, labels_again)
    other, _ = next(batches.shuffled(16, stream(4)))
    assert not torch.equal(other, next(batches.shuffled(16, stream(3)))[0])
