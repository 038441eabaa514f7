"""The parts that the classes of this package share."""

from flintmq.ibmmq.errors import MQMIError, PYIFError
from flintmq.ibmmq.rfh2 import RFH2
from flintmq.ibmmq.structures import CMHO, GMO, MD, OD, PD, PMO, SD, SMPO
from flintmq.pymqi.kit import Kit

IBMMQ = Kit(MD, GMO, PMO, OD, SD, RFH2, CMHO, PD, SMPO, MQMIError, PYIFError)
