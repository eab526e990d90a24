"""Shared GPUs at scale: device patterns for the bound, node patterns for the placement."""
