# Download of image sets and generators from their publishers, if no data root is given.

from twolayer.model.data.images import DATASETS, SPLITS, image_files


rule fetch_images:
    output:
        f"{DOWNLOADED_IMAGES}/{{dataset}}/{{file}}",
    log:
        f"{DOWNLOADED_IMAGES}/logs/{{dataset}}-{{file}}.log",
    wildcard_constraints:
        dataset="|".join(DATASETS),
        file=r".+\.(gz|pth|pkl)",
    localrule: True
    shell:
        "twolayer fetch {wildcards.dataset:q} {wildcards.file:q} --output {output:q} 2> {log:q}"


# CIFAR-10 comes as one archive that contains a folder of this name.
rule unpack_images:
    input:
        f"{DOWNLOADED_IMAGES}/cifar-10-batches-bin/cifar-10-binary.tar.gz",
    output:
        [
            f"{DOWNLOADED_IMAGES}/cifar-10-batches-bin/{name}"
            for split in SPLITS
            for name in image_files("cifar-10-batches-bin", split)
        ],
    log:
        f"{DOWNLOADED_IMAGES}/logs/cifar-10-batches-bin.log",
    localrule: True
    params:
        folder=lambda wildcards, output: str(Path(output[0]).parent),
    shell:
        "twolayer unpack cifar-10-batches-bin {input:q} --output {params.folder:q} 2> {log:q}"
