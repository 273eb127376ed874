# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Plateau and specialisation
#
# A student of K erf units learns online from a teacher of M erf units with noisy labels (Saad and Solla 1995). Time is
# steps / N. The overlaps Q, R and T of the weights obey
#
# dR_km/dt = -eta v_k <g'(l_k) e n_m>,
# dQ_kl/dt = -eta v_k <g'(l_k) e l_l> - (k <-> l) + eta^2 v_k v_l (<g'_k g'_l e^2> + s^2 <g'_k g'_l>),
#
# with pre-activations l and n, the error e without label noise, and the standard deviation s of the label noise. On the plateau
# all units of the student overlap with all units of the teacher alike. The plateau ends where each unit of the student
# follows one unit of the teacher. Left: as many units as the teacher. Right: more units.

# %% tags=["parameters"]
preset = "quick"

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("saad_solla", preset)

# %%
page.draw()

# %% [markdown]
# ## Check result

# %%
page.table()
