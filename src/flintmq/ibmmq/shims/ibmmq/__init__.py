"""`import ibmmq` where the original is not installed: it is `flintmq.ibmmq`."""

import flintmq.ibmmq
from flintmq.pymqi.shim import pose_as

pose_as(flintmq.ibmmq, "ibmmq", ("CMQC", "CMQCFC", "CMQSTRC", "CMQXC"))
