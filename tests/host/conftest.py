"""The fixtures of the client's tests: a data directory of the test's own, and queue managers that are open in it."""

from tests.client.conftest import data as data
from tests.client.conftest import open_disk as open_disk
from tests.client.conftest import qm as qm
from tests.client.remote.conftest import serving as serving
