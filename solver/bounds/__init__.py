"""The aggregated linear relaxation, and bounds that its duals prove."""
