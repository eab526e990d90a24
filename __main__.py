"""``python -m kubestow``."""

from .adapters.cli import main

if __name__ == "__main__":
    main()
