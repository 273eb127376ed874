# Names for what people ask for together.


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


for scale in SCALES:

    rule:
        name:
            "archive" if scale == "paper" else f"archive_{scale}"
        input:
            figure_files(scale),
        output:
            f"{CATALOGUE.folders.archive(scale)}",
        log:
            f"{CATALOGUE.folders.results(scale)}/logs/archive.log",
        params:
            scale=scale,
        shell:
            "twolayer archive --preset {params.scale} --output {output:q} 2> {log:q}"
