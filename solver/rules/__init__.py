"""CP-SAT encodings and LP relaxations, one module per rule, named as in model/rules."""
