# Figures of four papers on two-layer networks, each with a machine-checked check result.
#
#   snakemake figures/fig1.pdf          one figure at the paper preset
#   snakemake figures/quick/fig1.pdf    the same in half a minute, offline
#   snakemake                           all figures of the quick preset, the default target
#   snakemake paper | gmm               all figures at the paper preset, or those of one study
#   snakemake scoreboard                all check results of the quick preset; an error names the checks that fail
#
# `twolayer list` prints the catalogue.

from snakemake.utils import min_version

min_version("9.21.0")


wildcard_constraints:
    study="[a-z_]+",
    run="[^/]+",


include: "workflow/rules/common.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/images.smk"
include: "workflow/rules/tasks.smk"
include: "workflow/rules/figures.smk"


# The default target must stand in this file: Snakemake ignores it in an included one.
rule quick:
    default_target: True
    input:
        figure_files("quick"),
        f"{CATALOGUE.folders.figures('quick')}/scoreboard.html",
