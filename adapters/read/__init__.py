"""Manifests, dumps and snapshots in: files to a `Cluster`."""

from .reader import Input, InputFile, read
from .limits import Limits

__all__ = ["Input", "InputFile", "Limits", "read"]
