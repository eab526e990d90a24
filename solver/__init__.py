"""Placements with a proof: bounds, search, exact solves, and the greedy replica."""
