# Rules for executed notebooks, figures, check results and the scoreboard. The two presets write to separate folders.

for preset in PRESETS:
    folder, results = CATALOGUE.folders.figures(preset), CATALOGUE.folders.results(preset)

    rule:
        name:
            f"figure_{preset}"
        input:
            results=figure_results(preset),
            references=figure_references,
            notebook=figure_notebook,
            modules=figure_sources,
            templates=TEMPLATES,
        output:
            pdf=report(
                f"{folder}/{{figure}}.pdf",
                caption="../report/figure.rst",
                category=of_study,
                labels=reported("figure", preset),
            ),
            page=report(
                f"{folder}/{{figure}}.html",
                caption="../report/checks.rst",
                category=of_study,
                labels=reported("checks", preset),
            ),
            svg=f"{folder}/{{figure}}.svg",
            curves=f"{folder}/{{figure}}.csv",
            outcome=f"{results}/checks/{{figure}}.json",
            thumbnail=f"{results}/thumbnails/{{figure}}.png",
            notebook=f"{results}/notebooks/{{figure}}.ipynb",
        log:
            f"{results}/logs/figures/{{figure}}.log",
        wildcard_constraints:
            figure=r"(?!quick/|scoreboard\.).+",
        priority: AT_ONCE
        resources:
            mem_mb=drawing_memory,
            runtime=10,
        params:
            preset=preset,
            entry=figure_entry,
        shell:
            "twolayer notebook {wildcards.figure:q} --preset {params.preset} --output {output.notebook:q} > {log:q} 2>&1"

    rule:
        name:
            f"animation_{preset}"
        input:
            results=figure_results(preset),
            references=figure_references,
            modules=figure_sources,
        output:
            report(
                f"{folder}/{{animation}}.gif",
                caption="../report/animation.rst",
                category=of_study,
                labels=reported("animation", preset),
            ),
        log:
            f"{results}/logs/figures/{{animation}}-animation.log",
        wildcard_constraints:
            animation="(?!quick/).+",
        priority: AT_ONCE
        resources:
            mem_mb=drawing_memory,
            runtime=20,
        params:
            preset=preset,
        shell:
            "twolayer animate {wildcards.animation:q} --preset {params.preset} 2> {log:q}"

    rule:
        name:
            f"scoreboard_page_{preset}"
        input:
            outcomes=[f"{results}/checks/{figure}.json" for figure in CATALOGUE.figures],
            thumbnails=[f"{results}/thumbnails/{figure}.png" for figure in CATALOGUE.figures],
            modules=sources("twolayer.pipeline.report.scoreboard"),
            templates=TEMPLATES,
        output:
            html=f"{folder}/scoreboard.html",
            csv=f"{folder}/scoreboard.csv",
        log:
            f"{results}/logs/scoreboard.log",
        params:
            preset=preset,
        shell:
            "twolayer scoreboard --preset {params.preset} 2> {log:q}"

    rule:
        name:
            "scoreboard" if preset == "quick" else f"scoreboard_{preset}"
        input:
            f"{folder}/scoreboard.html",
        params:
            preset=preset,
        shell:
            "twolayer scoreboard --preset {params.preset} --check"
