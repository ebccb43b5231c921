"""Composition root: every object is built here, once. Building does no I/O, opening does."""

from personal_context.runtime.build import build_runtime
from personal_context.runtime.runtime import Runtime

__all__ = ["Runtime", "build_runtime"]
