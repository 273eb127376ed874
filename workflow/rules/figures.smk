# From results to an executed notebook, its figure and verdict, and all verdicts to the scoreboard.
# The two presets never write to the same place.

for scale in SCALES:
    folder, results = CATALOGUE.folders.figures(scale), CATALOGUE.folders.results(scale)

    rule:
        name:
            f"figure_{scale}"
        input:
            results=figure_results(scale),
            references=figure_references,
            notebook=figure_notebook,
            modules=figure_sources,
            templates=TEMPLATES,
        output:
            pdf=report(
                f"{folder}/{{figure}}.pdf",
                caption="../report/figure.rst",
                category=of_study,
                labels=reported("figure", scale),
            ),
            verdict=report(
                f"{results}/verdicts/{{figure}}.json",
                caption="../report/verdict.rst",
                category=of_study,
                labels=reported("verdict", scale),
            ),
            thumbnail=f"{results}/thumbnails/{{figure}}.png",
            notebook=f"{results}/notebooks/{{figure}}.ipynb",
        log:
            f"{results}/logs/figures/{{figure}}.log",
        wildcard_constraints:
            figure="(?!quick/).+",
        priority: AT_ONCE
        resources:
            mem_mb=drawing_memory,
            runtime=10,
        params:
            scale=scale,
            entry=figure_entry,
        shell:
            "twolayer notebook {wildcards.figure:q} --preset {params.scale} --output {output.notebook:q} > {log:q} 2>&1"

    rule:
        name:
            f"animation_{scale}"
        input:
            results=figure_results(scale),
            references=figure_references,
            modules=figure_sources,
        output:
            report(
                f"{folder}/{{animation}}.gif",
                caption="../report/animation.rst",
                category=of_study,
                labels=reported("animation", scale),
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
            scale=scale,
        shell:
            "twolayer animate {wildcards.animation:q} --preset {params.scale} 2> {log:q}"

    rule:
        name:
            f"scoreboard_page_{scale}"
        input:
            verdicts=[f"{results}/verdicts/{figure}.json" for figure in CATALOGUE.figures],
            thumbnails=[f"{results}/thumbnails/{figure}.png" for figure in CATALOGUE.figures],
            modules=sources("twolayer.pipeline.report.scoreboard"),
            templates=TEMPLATES,
        output:
            html=f"{folder}/scoreboard.html",
            csv=f"{folder}/scoreboard.csv",
        log:
            f"{results}/logs/scoreboard.log",
        params:
            scale=scale,
        shell:
            "twolayer scoreboard --preset {params.scale} 2> {log:q}"

    rule:
        name:
            "scoreboard" if scale == "quick" else f"scoreboard_{scale}"
        input:
            f"{folder}/scoreboard.html",
        params:
            scale=scale,
        shell:
            "twolayer scoreboard --preset {params.scale} --check"
