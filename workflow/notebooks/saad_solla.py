# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
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
# One run of this figure, to compute again with other values: edit them, then run all cells.
preset = "quick"
run = "as_many_curve"
parameters = {"schedule.learning_rate": 0.5, "teacher.noise": 0.1}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("saad_solla", preset)

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
# `config/teacher_student.yaml`.

# %%
page.compare(run, parameters, curve="pmse")
