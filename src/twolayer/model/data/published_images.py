"""The complete image sets of their publishers, known by digests of pixels and labels."""

import hashlib
import logging
from pathlib import Path

import numpy as np

log = logging.getLogger("twolayer")

COMPLETE = {  # data set, split -> number of images, and SHA-256 of pixels and then labels, in file order
    ("mnist", "train"): (60_000, "edc0d1098aa497be14ace79ddd5171e5a3dcf9c4d196c015389203eb3ba1f59b"),
    ("mnist", "test"): (10_000, "c3f9adf9c66efb572b1f9326c3a511b45910c7173b97be66ceceeeeaef6b802b"),
    ("fashion-mnist", "train"): (60_000, "16d82e2b505296aa2b78bd5ea0992634f30419a4c97def7c907d154a35ac6157"),
    ("fashion-mnist", "test"): (10_000, "9f1ec356a747bfe4ebab3cfb722d3694c9ca737e2570f6f90cf31d7b6fd689d4"),
    ("cifar-10-batches-bin", "train"): (50_000, "f912919bdea371136f1aa4feed6beeca728015a5f08b1899a29c932a7e30be2b"),
    ("cifar-10-batches-bin", "test"): (10_000, "8193b3fbce55bec361cd1b8fd4880cb1649832dc4d6de6da1e7a21847a4843aa"),
}


def warn_if_changed(images: np.ndarray, labels: np.ndarray, dataset: str, split: str, folder: Path) -> None:
    """Log a warning if a set is as large as the publisher's, but has other pixels, labels or another order.

    A copy that was compressed with losses has the right format, but gives other results. Smaller sets are not compared.

    Args:
        images, labels: as `twolayer.model.data.images.load` returns them. dataset, split: their names. folder: a data
            root.
    """
    count, known = COMPLETE.get((dataset, split), (None, None))
    if len(images) == count and _digest(images, labels) != known:
        log.warning(
            "%s does not have the publisher's %s images in the publisher's order, so results differ from the published "
            "ones: replace the folder by the publisher's files",
            Path(folder) / dataset,
            split,
        )


def _digest(images, labels):
    found = hashlib.sha256(np.ascontiguousarray(images))
    found.update(np.ascontiguousarray(labels))
    return found.hexdigest()
