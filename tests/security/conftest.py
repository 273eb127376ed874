"""The forged project."""

from forged import made, root, victim  # noqa: F401
