"""The checks of the figures: their results, tables, summaries, and dry run."""
