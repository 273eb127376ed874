"""The checks of the figures: their results, tables, summaries, and the dry run that tries them."""
