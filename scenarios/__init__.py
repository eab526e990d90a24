"""Example clusters, shipped with the package."""
