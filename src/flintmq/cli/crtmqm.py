"""flint crtmqm: create a queue manager.

    crtmqm QM1
    crtmqm -c "orders" -u DEV.DEAD.LETTER.QUEUE -q --dev QM1
    crtmqm -ll -lf 16384 -lp 10 --log-archive archive -z QM2
    crtmqm -ic queues.mqsc -ii qm.ini.d -iv ENV=TEST QM3

Makes the directory, the recovery log, the page sets and the default objects. `-ic` names MQSC that is run now and at
every start of the queue manager: a file, or a directory, whose .mqsc files are run in order of name. `+QMNAME+` and the
variables of `-iv` are replaced in it; DEFINE needs REPLACE to be run again. `-ii` likewise names stanzas that have
precedence over those of qm.ini: a file, or the .ini files of a directory. The stanza AutoConfig of qm.ini keeps both.

Exit codes: 0 created; 8 exists already; 39 bad parameter; 72 bad name; 100 log location; 115 bad log size; 119 no
permission; 71 anything unexpected.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import flintmq
from flintmq.cli import _control
from flintmq.client import commands
from flintmq.host import autoconfig, ini, instance, lifecycle
from flintmq.host.host import Host
from flintmq.host.inserts import replaced
from flintmq.log import LogConfig, LogError
from flintmq.server import users
from flintmq.server.entities import AUTHORITY_SERVICE, EXTERNAL

NAME = "crtmqm"
SUMMARY = "create a queue manager"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the queue manager's name")
    parser.conflict_handler = "resolve"  # -h is MAXHANDS here, as in MQ; --help helps.
    group = parser.add_argument_group("as in MQ")
    group.add_argument("-c", metavar="TEXT", help="description")
    group.add_argument("-d", metavar="QUEUE", help="default transmission queue")
    group.add_argument("-h", metavar="N", help="handles that one connection may have open (256)")
    group.add_argument("-t", metavar="MS", help="trigger interval")
    group.add_argument("-u", metavar="QUEUE", help="dead-letter queue")
    group.add_argument("-x", metavar="N", help="messages in one unit of work (10000)")
    group.add_argument("-p", metavar="PORT", help="port for the listener; kept in qm.ini")
    group.add_argument("-q", action="store_true", help="make it the default queue manager")
    group.add_argument("-z", action="store_true", help="say nothing when all is well")
    logging = group.add_mutually_exclusive_group()
    logging.add_argument("-lc", action="store_true", help="circular logging (the default)")
    logging.add_argument("-ll", action="store_true", help="linear logging: old log files are kept")
    logging.add_argument("-lla", action="store_true", help="linear logging, managed automatically")
    logging.add_argument("-lln", action="store_true", help="linear logging, with archive management")
    group.add_argument("-ld", metavar="DIR", help="where the log goes")
    group.add_argument("-lf", metavar="PAGES", default="4096", help="size of a log file in 4 KiB pages (4096)")
    group.add_argument("-lp", metavar="N", default="3", help="primary log files (3)")
    group.add_argument("-ls", metavar="N", default="2", help="secondary log files (2)")
    group.add_argument("-md", metavar="DIR", help="where the queue manager's data goes")
    group.add_argument("-ic", metavar="PATH", help="MQSC to run now and at every start: a file or directory")
    group.add_argument("-ii", metavar="PATH", help="stanzas of qm.ini, read at every start: a file or directory")
    group.add_argument("-iv", metavar="NAME=VALUE", action="append", default=[], help="a variable for -ic")
    group.add_argument("-oa", metavar="POLICY", help="who can be given authority: user, or UserExternal for anybody")
    own = parser.add_argument_group("our own")
    own.add_argument("--dev", action="store_true", help="developer defaults: DEV.QUEUE.1 to 3 and the like")
    own.add_argument("--log-copy", metavar="DIR", default="", help="keep a second copy of the log there")
    own.add_argument("--log-archive", metavar="DIR", default="", help="linear logging: move old log files there")


def run(options: argparse.Namespace) -> int:
    try:
        place = _place(options)
        create = _create_options(options)
        script = autoconfig.read_mqsc(options.ic) if options.ic else ""
        stanzas = autoconfig.read_stanzas(options.ii) if options.ii else []
        inserts = {**_variables(options.iv), "QMNAME": options.name}
        host = Host(*lifecycle.create_on_disk(place, create), place)
    except flintmq.InvalidName as error:
        return _control.refuse(f"AMQ7048E: {error.text}", _control.BAD_NAME)
    except flintmq.QueueManagerExists as error:
        return _control.refuse(f"AMQ8110E: {error.text}", _control.EXISTS)
    except flintmq.QueueManagerInUse as error:
        return _control.refuse(error.text, _control.EXISTS)
    except LogError as error:
        return _control.refuse(str(error), _control.BAD_LOG_SIZE)
    except PermissionError as error:
        return _control.refuse(f"AMQ7077E: not permitted: {error.filename}", _control.NO_PERMISSION)
    except (ValueError, ini.IniError, FileNotFoundError, IsADirectoryError) as error:
        return _control.refuse(str(error), _control.BAD_PARAMETER)
    except flintmq.QueueManagerError as error:
        if options.ld or options.log_copy or options.log_archive:
            return _control.refuse(f"AMQ7064E: {error.text}", _control.LOG_LOCATION)
        return _control.refuse(f"AMQ8101S: {error.text}", _control.UNEXPECTED)
    if options.ii:
        autoconfig.cache_stanzas(place, stanzas)
    if options.dev:
        users.define_developers(place.directory / users.NAME, os.environ)
    if options.md:
        instance.remember_place(place)
    if options.q:
        instance.set_default(place.name)
    _report(options, place, len(host.engine.catalogue.everything()) - 1)
    for line in commands.run_quietly(host, replaced(script, inserts).splitlines()):
        _control.refuse(line, 0)  # A command that fails is told, and does not stop the rest.
    host.close()
    if not options.z:
        print("Setup completed.")
    return 0


def _place(options: argparse.Namespace) -> instance.Instance:
    if options.md:
        name = instance.check_name(options.name)
        return instance.Instance(name, Path(options.md).absolute() / instance.directory_name(name))
    return instance.by_name(options.name)


def _create_options(options: argparse.Namespace) -> lifecycle.CreateOptions:
    given = {
        "descr": options.c,
        "defxmitq": options.d,
        "maxhands": options.h,
        "trigint": options.t,
        "deadq": options.u,
        "maxumsgs": options.x,
    }
    attributes = commands.attribute_values("QMGR", {word: value for word, value in given.items() if value is not None})
    linear = options.ll or options.lla or options.lln
    log = LogConfig(
        file_pages=_number(options.lf, "-lf"),
        primary=_number(options.lp, "-lp"),
        secondary=_number(options.ls, "-ls"),
        linear=linear,
        second_copy=str(Path(options.log_copy).absolute()) if options.log_copy else "",
        archive=str(Path(options.log_archive).absolute()) if options.log_archive else "",
    )
    log.check()
    stanzas: list[ini.Stanza] = []
    paths = {autoconfig.MQSC_KEY: options.ic, autoconfig.INI_KEY: options.ii}
    if any(paths.values()):
        kept = {key: str(Path(path).absolute()) for key, path in paths.items() if path}
        stanzas.append(ini.Stanza(autoconfig.STANZA, kept))
    if options.iv:
        stanzas.append(ini.Stanza(autoconfig.VARIABLES, _variables(options.iv)))
    if options.oa is not None:
        stanzas.append(ini.Stanza("Service", {"Name": AUTHORITY_SERVICE, "SecurityPolicy": _policy(options.oa)}))
    return lifecycle.CreateOptions(
        attributes=attributes,
        log=log,
        log_directory=options.ld or "",
        developer=options.dev,
        app_password=bool(os.environ.get(users.APP_PASSWORD)),
        port=port_number(options.p) if options.p else 0,
        stanzas=stanzas,
    )


def port_number(text: str) -> int:
    """Return the port that `-p` names. Raises ValueError."""
    port = _number(text, "-p")
    if not 0 < port < 65536:
        raise ValueError(f"-p takes a port from 1 to 65535, not {text}")
    return port


def _number(text: str, option: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"{option} takes a number, not {text!r}")
    return int(text)


def _policy(word: str) -> str:
    """Return the value of -oa, as qm.ini has it."""
    policies = {policy.lower(): policy for policy in ("user", EXTERNAL)}
    if word.lower() == "group":
        raise ValueError("-oa group: FlintMQ does not have authority by primary group yet, see docs/limits.md")
    if word.lower() not in policies:
        raise ValueError(f"-oa takes user or {EXTERNAL}, not {word}")
    return policies[word.lower()]


def _variables(words: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise ValueError(f"-iv takes NAME=VALUE, not {word!r}")
        found[name] = value
    return found


def _report(options: argparse.Namespace, place: instance.Instance, objects: int) -> None:
    if options.z:
        return
    print(f"FlintMQ queue manager '{place.name}' created.")
    print(f"Directory '{place.directory}' created.")
    print("The queue manager is associated with installation 'FlintMQ'.")
    print(f"Creating or replacing default objects for queue manager '{place.name}'.")
    print(f"Default objects statistics : {objects} created. 0 replaced. 0 failed.")
    print("Completing setup.")
