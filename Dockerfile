# The workflow and all that it needs, at the versions of requirements.lock:
#   docker build --tag twolayer . && docker run --volume "$PWD/out:/twolayer/figures" twolayer snakemake figures/quick/fig1.pdf
#   apptainer build twolayer.sif docker-daemon://twolayer:latest
FROM python:3.11-slim-bookworm
RUN apt-get update && apt-get install --yes --no-install-recommends git make && rm -rf /var/lib/apt/lists/*
WORKDIR /twolayer
COPY requirements.lock ./
RUN pip install --no-cache-dir --requirement requirements.lock
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation --editable .
CMD ["snakemake", "quick"]
