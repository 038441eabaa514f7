"""`python -m flintmq.ibmmq install-shim`: see flintmq/pymqi/shim.py."""

import sys
from pathlib import Path

from flintmq.pymqi.shim import main

sys.exit(main("ibmmq", Path(__file__).parent / "shims"))
