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
# A student of K erf units learns online from a teacher of M erf units with noisy labels (Saad and Solla 1995). Time
# is steps / N. The overlaps Q, R and T of the weights obey
#
# dR_km/dt = -eta v_k <g'(l_k) e n_m>,
# dQ_kl/dt = -eta v_k <g'(l_k) e l_l> - (k <-> l) + eta^2 v_k v_l (<g'_k g'_l e^2> + s^2 <g'_k g'_l>),
#
# with pre-activations l of the student and n of the teacher, the error e without label noise, and the standard
# deviation s of the label noise. On the plateau, each unit of the student has the same overlap with all units of the
# teacher. The plateau ends when each unit of the student begins to follow one unit of the teacher. Left: as many
# units as the teacher. Right: more units.

# %% tags=["parameters"]
# The last cell computes one run of this figure with these parameters. Edit them, then run all cells.
preset = "quick"
run = "as_many_curve"
parameters = {"schedule.learning_rate": 0.5, "teacher.noise": 0.1}

# %%
from twolayer.pipeline.report.figure_page import Page

page = Page.open("saad_solla", preset)

# %%
page.draw()

# %% [markdown]
# ## Checks

# %%
page.table()

# %% [markdown]
# ## The run with other parameters
#
# The last cell plots the new curve next to the stored curve, and writes no files. `config/teacher_student.yaml` has
# the parameters of all runs.

# %%
page.compare(run, parameters, curve="pmse")
