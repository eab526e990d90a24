"""Results out: documents (JSON, YAML) with schemas, and tables for people."""
