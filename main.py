"""`uv run main.py` is the command `personal-context`."""

import sys

from personal_context.cli import main

if __name__ == "__main__":
    sys.exit(main())
