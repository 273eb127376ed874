# Image sets from their publishers, where no data root is given.

from twolayer.model.images import DATASETS


localrules:
    fetch_images,


rule fetch_images:
    output:
        f"{DOWNLOADED_IMAGES}/{{dataset}}/{{file}}",
    log:
        f"{DOWNLOADED_IMAGES}/logs/{{dataset}}-{{file}}.log",
    wildcard_constraints:
        dataset="|".join(DATASETS),
    shell:
        "twolayer fetch {wildcards.dataset} {wildcards.file} --output {output} 2> {log}"
