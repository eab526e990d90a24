"""Whole node patterns: a bound that knows what fits on one node, and placements put together from them."""
