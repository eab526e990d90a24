"""The verbs of the command line, one module each; heavy imports wait until a verb runs."""
