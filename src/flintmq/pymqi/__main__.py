"""`python -m flintmq.pymqi install-shim`: see shim.py."""

import sys
from pathlib import Path

from flintmq.pymqi.shim import main

sys.exit(main("pymqi", Path(__file__).parent / "shims"))
