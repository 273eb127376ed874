# The workflow and all that it needs, at the versions of requirements.lock, for an ordinary user:
#   docker build --tag twolayer . && docker run --volume "$PWD/out:/twolayer/figures" twolayer snakemake figures/quick/fig1.pdf
#   apptainer build twolayer.sif docker-daemon://twolayer:latest
# The folder `out` must be writable for user id 1000, or for the one that `docker run --user` names.
# The base image has a tag, which receives security updates. For an image that never changes, append the digest that
# `docker buildx imagetools inspect python:3.11-slim-bookworm` prints: FROM python:3.11-slim-bookworm@sha256:...
FROM python:3.11-slim-bookworm
RUN apt-get update && apt-get install --yes --no-install-recommends git make && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 twolayer && install -d -m 1777 /var/cache/twolayer
WORKDIR /twolayer
COPY requirements.lock requirements-torch.lock ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements.lock \
    && pip install --no-cache-dir --requirement requirements-torch.lock
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation --editable . \
    && install -d -m 1777 .snakemake results figures figures/quick
ENV HOME=/home/twolayer XDG_CACHE_HOME=/var/cache/twolayer
USER twolayer
CMD ["snakemake", "quick"]
