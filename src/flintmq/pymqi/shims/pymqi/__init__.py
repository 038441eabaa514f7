"""`import pymqi` where the original is not installed: it is `flintmq.pymqi`."""

import flintmq.pymqi
from flintmq.pymqi.shim import pose_as

pose_as(flintmq.pymqi, "pymqi", ("CMQC", "CMQCFC", "CMQXC", "CMQZC", "const", "pymqe"))
