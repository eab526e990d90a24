"""Manifests, dumps and snapshots in: files to a `Cluster`."""

from .limits import Limits
from .reader import Input, InputFile, read

__all__ = ["Input", "InputFile", "Limits", "read"]
