"""Pages of the site and of the local report: one for each figure, and the lists of figures and notebooks."""
