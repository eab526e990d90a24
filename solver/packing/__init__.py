"""Packing pods tier by tier with few moves, as far as only the nodes themselves set limits."""
