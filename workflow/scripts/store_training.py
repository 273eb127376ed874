"""Store a training that took hours in a small file, which the key `stored` of a run can name.

    python workflow/scripts/store_training.py RESULT FILE

For the conditional GAN, RESULT is results/paper/one_step/conditional_gan/generator.nc, and FILE is
workflow/resources/trained/conditional_gan.safetensors. Weights and pictures have half precision in the file. It takes a
second.
"""

import argparse
from pathlib import Path

from twolayer import io
from twolayer.storage.stored_trainings import store_training


def main() -> None:
    """Store the training that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result", type=Path, help="result of a training")
    parser.add_argument("file", type=Path, help="file to write, in a folder that exists")
    options = parser.parse_args()
    store_training(io.read(options.result), options.file)


if __name__ == "__main__":
    main()
