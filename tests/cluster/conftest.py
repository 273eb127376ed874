"""The small project."""

from small_project import fresh_project, made_project, project  # noqa: F401
