# Targets that make several figures.


rule paper:
    input:
        figure_files("paper"),
        f"{CATALOGUE.folders.figures('paper')}/scoreboard.html",


for study in CATALOGUE.studies:

    rule:
        name:
            study
        input:
            figure_files("paper", study),


for preset in PRESETS:

    rule:
        name:
            "archive" if preset == "paper" else f"archive_{preset}"
        input:
            figure_files(preset),
        output:
            f"{CATALOGUE.folders.archive(preset)}",
        log:
            f"{CATALOGUE.folders.results(preset)}/logs/archive.log",
        params:
            preset=preset,
        shell:
            "twolayer archive --preset {params.preset} --output {output:q} 2> {log:q}"
