"""Constraints and costs that relate nodes to each other, and the orders of arrival that they admit."""
