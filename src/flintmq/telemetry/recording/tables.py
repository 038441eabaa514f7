"""Which of our counters is which field: the left column is the manual's, the right one an attribute.

Statistics take theirs from the intervals of sample.py, accounting from flintmq.qmgr.task. A field that stands in no
table is zero in our records; docs/reference/smf-fields.md lists both, and is made from here.
"""

from __future__ import annotations

from flintmq.telemetry.recording.section import Constant

#: Message manager.
QMST = {
    "QMSTOPEN": "opens_all",
    "QMSTCLOS": "closes",
    "QMSTGET": "gets",
    "QMSTPUT": "puts_all",
    "QMSTPUT1": "put1s",
    "QMSTINQ": "inquires",
    "QMSTSET": "sets",
    "QMSTCALH": "disconnects",
    "QMSTSUB": "subscribes",
    "QMSTSUBR": "subscription_requests",
    "QMSTCB": "callbacks",
    "QMSTCTL": "controls",
    "QMSTSTUS": "stats",
    "QMSTPUBS": "publishes",
    "QMSTSPP": "all_persistent_puts",
    "QMSTSNP": "nonpersistent_puts",
    "QMSTPBP": "all_persistent_put_bytes",
    "QMSTNBP": "nonpersistent_put_bytes",
}

#: Data manager.
QIST = {
    "QISTMGET": "all_gets",
    "QISTMPUT": "all_puts",
    "QISTMBLR": "all_browses",
    "QISTDCRE": "objects_created",
    "QISTDPUT": "objects_changed",
    "QISTDDEL": "objects_deleted",
    "QISTDLOC": "objects_read",
    "QISTGETD": "gets_from_disk",
    "QISTGETB": "gets_from_pool",
}

#: Log manager. Copy 2 has the values of copy 1: both are written with every flush.
QJST = {
    "QJSTWRNW": "log_records",
    "QJSTWRF": "log_flushes",
    "QJSTBSDS": "log_control_writes",
    "QJSTBFFL": "log_pages",
    "QJSTBFWR": "log_flushes",
    "QJSTALW": "log_files_archived",
    "QJSTLLCP": "log_checkpoints",
    "QJSTLOGW": "all_copies_writes",
    "QJSTCIWR": "all_copies_pages",
    "QJSTCMPREQ": "log_compression_requests",
    "QJSTCMPFAIL": "log_compression_failures",
    "QJSTCMPUNCMP": "log_compression_bytes_in",
    "QJSTCMPCOMP": "log_compression_bytes_out",
    "QJSTDECREQ": "log_decompression_requests",
    "QJSTDECFAIL": "log_decompression_failures",
    "QJSTDECCOMP": "log_decompression_bytes_in",
    "QJSTDECUNCMP": "log_decompression_bytes_out",
    "QJSTIOCOUNT_1_1": "log_single_writes",
    "QJSTIOCI_1_1": "log_single_pages",
    "QJSTIOTOTIO_1_1": "log_single_us",
    "QJSTIOCOUNT_1_2": "log_multi_writes",
    "QJSTIOCI_1_2": "log_multi_pages",
    "QJSTIOTOTIO_1_2": "log_multi_us",
    "QJSTIOCOUNT_2_1": "second_single_writes",
    "QJSTIOCI_2_1": "second_single_pages",
    "QJSTIOTOTIO_2_1": "second_single_us",
    "QJSTIOCOUNT_2_2": "second_multi_writes",
    "QJSTIOCI_2_2": "second_multi_pages",
    "QJSTIOTOTIO_2_2": "second_multi_us",
    "QJSTIOMAXIO_1_1": "log_longest_us",
    "QJSTIOMAXIOT_1_1": "log_longest_at_us",
    "QJSTSLPTU": "log_idle_us",
    "QJSTIOSQU2": "log_squares",
    "QJSTCP1N": "log_files_created",
}

#: Topic manager. The marks of subscriptions are of all kinds together.
QTST = {
    "QTSTSTOT": "subscribes",
    "QTSTSDUR": "durable_subscribes",
    "QTSTSHIG1": "subscriptions_high",
    "QTSTSLOW1": "subscriptions_low",
    "QTSTSEXP": "subscriptions_expired",
    "QTSTTMSG": "published",
    "QTSTSPHW": "most_published",
    "QTSTPTOT1": "publishes",
    "QTSTPNOS": "unheard",
}

#: Nothing of these is measured: there are no locks of that kind, no Db2, no coupling facility; storage is Python's.
NOTHING: dict[str, str] = {}

QPST = {
    "QPSTPOOL": "pool",
    "QPSTNBUF": "buffers",
    "QPSTCBSL": "lowest_stealable",
    "QPSTCBS": "stealable",
    "QPSTGETP": "getp_old_requests",
    "QPSTGETN": "getp_new_requests",
    "QPSTRIO": "reads",
    "QPSTSTW": "set_write_pages",
    "QPSTTPW": "pages_written",
    "QPSTWIO": "writes",
    "QPSTIMW": "sync_writes",
    "QPSTDWT": "deferred_write_reached",
    "QPSTDMC": "sync_write_reached",
    "QPSTSTL": "steals",
    "QPSTSOS": "suspend_no_buffers",
}

QIS1 = {
    "QIS1PSNO": "psid",
    "QIS1BPNO": "pool",
    "QIS1TOPG": "total",
    "QIS1UNPG": "unused",
    "QIS1PPG": "persistent",
    "QIS1NPPG": "nonpersistent",
    "QIS1FULL": "full_count",
    "QIS1DWPP": "pages_written",
    "QIS1GETN": "reads",
    "QIS1GETP": "pages_read",
    "QIS1EXPN": "expansions",
    "QIS1EXPF": "expanded",
}

QQST = {
    "QQSTQNAM": "name",
    "QQSTPSID": "psid",
    "QQSTBPID": "pool",
    "QQSTDPTH": "depth",
    "QQSTUNCM": "uncommitted",
    "QQSTOPCT": "output_handles",
    "QQSTIPCT": "input_handles",
    "QQSTMAGE": "age_s",
    "QQSTLPUT": "last_put_us",
    "QQSTLGET": "last_get_us",
    "QQSTDPHI": "high_depth",
    "QQSTDPLO": "low_depth",
    "QQSTPUTS": "mqputs",
    "QQSTPUT1": "put1_count",
    "QQSTNPPT": "mqput_nonpersistent",
    "QQSTPPT": "mqput_persistent",
    "QQSTNPP1": "put1_nonpersistent",
    "QQSTPP1": "put1_persistent",
    "QQSTPUTB": "mqput_bytes",
    "QQSTPT1B": "put1_bytes",
    "QQSTNPPB": "mqput_nonpersistent_bytes",
    "QQSTPPB": "mqput_persistent_bytes",
    "QQSTNP1B": "put1_nonpersistent_bytes",
    "QQSTP1B": "put1_persistent_bytes",
    "QQSTFLPT": "mqput_failed",
    "QQSTFLP1": "put1_failed",
    "QQSTFPTC": "fast_put_count",
    "QQSTFPTB": "fast_put_bytes",
    "QQSTSTRM": "streamed_count",
    "QQSTMSMI": "shortest",
    "QQSTMSMA": "longest",
    "QQSTMSAV": "average",
    "QQSTGETS": "get_count",
    "QQSTNPDG": "get_nonpersistent",
    "QQSTPDG": "get_persistent",
    "QQSTGETB": "get_bytes",
    "QQSTNPDB": "get_nonpersistent_bytes",
    "QQSTPDB": "get_persistent_bytes",
    "QQSTBRWS": "browse_count",
    "QQSTNPBR": "browse_nonpersistent",
    "QQSTPBR": "browse_persistent",
    "QQSTBRWB": "browse_bytes",
    "QQSTNPBB": "browse_nonpersistent_bytes",
    "QQSTPBB": "browse_persistent_bytes",
    "QQSTFLGT": "gets_failed",
    "QQSTNMAG": "get_missed",
    "QQSTTMFG": "get_truncated",
    "QQSTFLBR": "browses_failed",
    "QQSTNMAB": "browse_missed",
    "QQSTTMFB": "browse_truncated",
    "QQSTFLGW": "wait_failed",
    "QQSTFLBW": "browse_wait_failed",
    "QQSTIPHI": "high_input",
    "QQSTIPLO": "low_input",
    "QQSTOPHI": "high_output",
    "QQSTOPLO": "low_output",
    "QQSTOPEN": "open_count",
    "QQSTCLOS": "close_count",
    "QQSTINQR": "inquire_count",
    "QQSTSET": "set_count",
    "QQSTEXPR": "expired_count",
    "QQSTRBPT": "rolled_back_puts",
    "QQSTRBGT": "rolled_back_gets",
}

QQST_CONSTANTS: dict[str, Constant] = {"QQSTQSGN": "    ", "QQSTCFST": " " * 12}

#: A buffer pool is a storage pool, its buffers are its records.
QSPH = {"QSPHSTOR": "bytes", "QSPHOSTOR": "previous", "QSPHNAME": "name"}
QSPH_CONSTANTS: dict[str, Constant] = {"QSPHBSIZE": 4096, "QSPHBCNT": 1, "QSPHCOUNT": 1, "QSPHDSPNM": "        "}
#: The real storage of the process, and its maximum.
QSRS = {"QSRSABYTES": "bytes", "QSRSGBYTES": "peak_bytes"}

QCCT = {"QCCTJOBN": "job", "QCCTNOCC": "current", "QCCTNOAC": "active", "QCCTSTAB": "storage"}
QCCT_CONSTANTS: dict[str, Constant] = {"QCCTQSGN": "    "}
#: The one dispatcher is the event loop: it works or it waits.
QCTDSP = {
    "QCTTSKN": "number",
    "QCTREQN": "requests",
    "QCTCPTM": "cpu_us",
    "QCTELTM": "cpu_us",
    "QCTWTTM": "wait_us",
    "QCTCHLN": "channels",
}

QCST = {
    "QCSTCLTM": "now_us",
    "QCSTCHNM": "channel",
    "QCSTCHST": "status",
    "QCSTSTCL": "setting",
    "QCSTCNNM": "address",
    "QCSTSTRT": "started_us",
    "QCSTLUDT": "stopped_us",
    "QCSTLMST": "last_us",
    "QCSTNMSG": "calls",
    "QCSTBFST": "segments_sent",
    "QCSTBFRC": "segments_received",
    "QCSTCSCV": "conversations",
    "QCSTBYST": "bytes_sent",
    "QCSTBYRC": "bytes_received",
    "QCSTRQMN": "application",
    "QCSTRPID": "product",
    "QCSTRVER": "version",
}
QCST_CONSTANTS: dict[str, Constant] = {
    "QCSTCHDP": 4,
    "QCSTCHTY": 7,
    "QCSTETMN": 0x8FFFFFFF,
    "QCSTNTMN": 0x8FFFFFFF,
    "QCSTDSPN": 1,
}

QWAC = {"QWACBSC": "started_us", "QWACESC": "ended_us", "QWACCOMM": "life.commits", "QWACBACK": "life.backouts"}
QWAC_CONSTANTS: dict[str, Constant] = {"QWACRINV": 12}

QMAC = {
    "QMACCPUT": "life.cpu_us",
    "QMACPUTA": "life.puts_a",
    "QMACPUTB": "life.puts_b",
    "QMACPUTC": "life.puts_c",
    "QMACPUTD": "life.puts_d",
    "QMACGETA": "life.gets_a",
    "QMACGETB": "life.gets_b",
    "QMACGETC": "life.gets_c",
    "QMACGETD": "life.gets_d",
}

WTID = {
    "WTIDATYP": "kind",
    "WTIDCCN": "connection",
    "WTIDOPID": "user",
    "WTIDCORI": "correlation",
    "WTIDACCT": "token",
    "WTIDCHL": "channel",
    "WTIDCHLC": "address",
    "WTIDTRAN": "user",
}


def _calls(fields: str, timing: str) -> dict[str, str]:
    """Return the fields of one kind of call: count, elapsed time and CPU time, in this order."""
    count, elapsed, cpu = fields.split()
    return {elapsed: f"{timing}.elapsed_us", cpu: f"{timing}.cpu_us", count: f"{timing}.count"}


#: The paths are those of a TaskWork, and `task` the task that it is of.
WTAS = {
    "WTASSTRT": "task.started_us",
    "WTASMTHR": "task.number",
    "WTASWTAS": "task.number",
    "WTASFLAG": "flags",
    "WTASWQCT": "blocks",
    **_calls("WTASOTN WTASOTET WTASOTCT", "work.others"),
    **_calls("WTASCMN WTASCMET WTASCMCT", "work.commits"),
    **_calls("WTASBAN WTASBAET WTASBACT", "work.backouts"),
    "WTASJWN": "work.log_records",
    "WTASJWB": "work.log_bytes",
    "WTASJCN": "work.log_forced",
    "WTASSUSN": "work.suspended",
    "WTASSUSE": "work.suspended_us",
    "WTASINTS": "work.started_us",
    "WTASINTE": "work.ended_us",
    "WTASGPO": "work.pages_old",
    "WTASGPN": "work.pages_new",
    "WTASTPET": "work.topics.elapsed_us",
    "WTASTPCT": "work.topics.cpu_us",
    **_calls("WTASSUN WTASSUET WTASSUCT", "work.subscribes"),
    "WTASSUSC": "work.selections",
    "WTASSUSL": "work.selector_longest",
    **_calls("WTASSQN WTASSQET WTASSQCT", "work.subscription_requests"),
    **_calls("WTASCTN WTASCTET WTASCTCT", "work.controls"),
    **_calls("WTASSTN WTASSTET WTASSTCT", "work.stats"),
    **_calls("WTASPRN WTASPRET WTASPRCT", "work.prepares"),
}
WTAS_CONSTANTS: dict[str, Constant] = {"WTASVER": 8}

#: The paths are those of a QueueUse.
WQ = {
    "OBJNAME": "use.name",
    "BASENAME": "use.base",
    "CORREL": "correlator",
    "OPENTIME": "use.opened_us",
    "CLOSTIME": "use.closed_us",
    "QTYPE": "use.queue_type",
    "INDXTYPE": "use.index_type",
    **_calls("OPENN OPENET OPENCT", "use.opens"),
    **_calls("CLOSEN CLOSEET CLOSECT", "use.closes"),
    **_calls("GETN GETET GETCT", "use.gets"),
    "GETBRWA": "use.browse_any",
    "GETBRWS": "use.browse_specific",
    "GETA": "use.get_any",
    "GETS": "use.get_specific",
    "GETERR": "use.get_invalid",
    "GETJWN": "use.get_logged",
    "GETSUSET": "use.suspended_us",
    "GETSUSN": "use.suspended",
    "GETEXMSG": "use.expired",
    **_calls("PUTN PUTET PUTCT", "use.puts"),
    "PUTJWN": "use.put_logged",
    **_calls("PUT1N PUT1ET PUT1CT", "use.put1s"),
    "PUT1JWN": "use.put1_logged",
    **_calls("INQN INQET INQCT", "use.inquires"),
    **_calls("SETN SETET SETCT", "use.sets"),
    "SETJWN": "use.set_logged",
    "NPS": "use.psid",
    "NBUFFPOOL": "use.pool",
    "PUTBYTES": "use.put_bytes",
    "GETBYTES": "use.get_bytes",
    "VALIDPUT": "use.valid_puts",
    "VALIDGET": "use.valid_gets",
    "GETMAXMS": "use.get_longest",
    "GETMINMS": "use.get_shortest",
    "PUTMAXMS": "use.put_longest",
    "PUTMINMS": "use.put_shortest",
    "MAXLATNT": "use.latency_max_us",
    "MINLATNT": "use.latency_min_us",
    "TOTLATNT": "use.latency_total_us",
    "USE_COUNT": "use.open_now",
    "TOTAL_USE": "requests",
    "GETPMSG": "use.get_persistent",
    "PUTPMSG": "use.put_persistent",
    "PUT1PMSG": "use.put1_persistent",
    "MAXQDPTH": "use.max_depth",
    "FTOPIC": "use.topic",
    "GETDVAL": "use.valid_destructive",
    "GETJCN": "use.get_forced",
    "PUTPWG": "use.put_to_waiter",
    "PUTJCN": "use.put_forced",
    "PUT1PWG": "use.put1_to_waiter",
    "PUT1JCN": "use.put1_forced",
    "SETJCN": "use.set_forced",
    "SELCOUNT": "use.selections",
    "SELMAXLN": "use.selector_longest",
    **_calls("CBN CBET CBCT", "use.callbacks"),
    "PUBLISHEDN": "use.published",
    "TOPICOPENSRB": "use.topic_open_us",
    "TOPICPUTSRB": "use.topic_put_us",
    "TOPICPUT1SRB": "use.topic_put1_us",
    "TOPICCLOSESRB": "use.topic_close_us",
    "PUTDDLY": "use.delayed",
    "STREAMEDN": "use.streamed",
}
WQ_CONSTANTS: dict[str, Constant] = {
    "WQVER": 9,
    "OPENEYE": "OPEN",
    "CLOSEEYE": "CLOS",
    "GETEYE": "GET ",
    "PUTEYE": "PUT ",
    "PUT1EYE": "PUT1",
    "INQEYE": "INQ ",
    "SETEYE": "SET ",
    "CBEYE": "CB  ",
}
