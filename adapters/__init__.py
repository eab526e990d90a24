"""Every edge of kubestow: files and dumps in, tables and JSON out, the command line."""
