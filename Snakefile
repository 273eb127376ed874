# Figures of four papers on two-layer networks, with automatic checks.
#
#   snakemake figures/fig1.pdf          one figure at the paper preset
#   snakemake figures/quick/fig1.pdf    the same with smaller sizes, in a minute or two
#   snakemake                           all figures of the quick preset, the default target
#   snakemake paper                     all figures at the paper preset
#   snakemake mixtures                  the figures of one study at the paper preset
#   snakemake scoreboard                the checks of all figures at the quick preset; it fails if one of them fails
#
# `twolayer list` prints the catalogue.

from snakemake.utils import min_version

min_version("9.21.0")


report: "workflow/report/front.rst"


wildcard_constraints:
    study="[a-z_]+",
    run="[^/]+",


include: "workflow/rules/common.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/images.smk"
include: "workflow/rules/tasks.smk"
include: "workflow/rules/figures.smk"


# Snakemake uses a default target of this file only, and ignores one of an included file.
rule quick:
    default_target: True
    input:
        figure_files("quick"),
        f"{CATALOGUE.folders.figures('quick')}/scoreboard.html",
