# Names for what people ask for together.


rule quick:
    default_target: True
    input:
        figure_files("quick"),
        "figures/quick/scoreboard.html",


rule paper:
    input:
        figure_files("paper"),
        "figures/scoreboard.html",


for study in CATALOGUE.studies:

    rule:
        name:
            study
        input:
            figure_files("paper", study),
