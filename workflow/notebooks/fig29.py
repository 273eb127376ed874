# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 29: generated images that keep their means
#
# Demir and Dogan 2025, Figure 8. As figure 24, but both classes are centred about a common mean, so that the means tell
# them apart as well; ridge $10^{-5}$. The errors are several times smaller, and peak at $k = m$ for relu and tanh. At the
# peak, the Hermite model of tanh is well above the network, here as in the paper; in wide networks the two agree. The
# theory by measured moments (black, left; see figure 24) lies on the network at the peak as well. One activation is beyond
# it: the features of tanh follow the classes so closely that some images pull on the fit several times more than others,
# which second moments do not know. At $k/m = 0.5$ networks of tanh err by a sixth more than theory says, and miss up to
# twice as many classes; relu and sigmoid agree.
#
# Published points begin at $k/m = 0.7$. Data and generator are those of figure 24. **At the quick preset** the GAN is a
# reduced one, of the embedded 750 images, and $m$ is smaller. Its classes lie further apart and vary less than real ones,
# so that errors are lower than the paper's, and the overshoot of tanh is larger.

# %% tags=["parameters"]
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "boots_with_means"
parameters = {"ridge": 1e-05, "degree": 4}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig29", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The new curve next to the curve of the workflow. Nothing is written. All runs and their parameters are in
# `config/one_step.yaml`.

# %%
page.compare(run, parameters, curve="network")
