# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Figure 24: generated images, network against Hermite model
#
# Demir and Dogan 2025, Figure 3. The inputs are images of two classes of Fashion-MNIST from a conditional GAN, and
# not a Gaussian mixture. The mean of the class is subtracted from each image. The images are scaled to a total
# variance of $n = 784$, and unit noise is added. A network takes one gradient step of size $\eta = 1$. Its second
# layer is then fitted to the labels $y = \pm 1$ of the classes, which differ in their covariance only. Left: T-shirts
# and trousers. Right: sandals and ankle boots.
#
# The Hermite model has degree 4; the caption states 5. It agrees with the network, although its derivation assumes
# Gaussian data. In wide networks its error is a few percent higher for relu, and a few percent lower for tanh, whose
# odd features cannot separate centred images. So it is in the paper.
#
# **Black lines** are the theory of figure 22 for any distribution of the inputs. They use the second moments of
# features and labels for each drawn first layer. A set with a few times more images than features gives these
# moments. The training samples are drawn from the set, each image at most once. Free probability gives the errors on
# the remaining images, so that the measured covariance causes no bias. At the paper preset, the theory agrees with
# the networks to one percent on average over the widths, and to three percent at each width. The lower panels show the
# class error. For each image of the set, the theory gives the mean and the variance of the output over the fits
# without this image. Theory and networks use the same first layers and images in each trial.
#
# Each trial has new images, and the error bars (standard errors) contain their variation. The paper has one draw for
# all trials. At the paper preset the generator is the published one, or a generator that is trained here
# (`generators: trained` in `config/config.yaml`). Each training gives a different generator, whose errors differ at
# random from the published ones. **At the quick preset** the GAN is a reduced one, trained on the embedded 750
# images, and $m$ is smaller. The shape of the curves can be compared with the paper, and their level cannot.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "tops"
parameters = {"ridge": 0.0001, "degree": 4}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("fig24", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/one_step.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="network")
