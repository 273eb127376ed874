"""The commands of `twolayer`, by subject."""
