"""`python -m flintmq.cli`: the same as `flint`."""

import sys

from flintmq.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
