"""Example clusters, shipped with the package: small ones as YAML, large ones from seeded generators."""

from .registry import describe, generator, load, names, path, text

__all__ = ["describe", "generator", "load", "names", "path", "text"]
