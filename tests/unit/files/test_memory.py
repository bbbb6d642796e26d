"""Databases in memory: apart from each other, in one instance where they can be."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from hinter_core.files import memory
from hinter_core.files.memory import own_database, shared_database


def _prepare(connection: Any) -> None:
    connection.execute("CREATE TABLE common AS SELECT 7 AS number")


def _filled(number: int) -> set[int]:
    database = shared_database(_prepare)
    try:
        database.connection.execute(f"CREATE TABLE numbers AS SELECT {number} AS number")
        rows = database.cursor().execute(
            "SELECT number FROM numbers UNION ALL SELECT number FROM memory.common"
        )
        return {number for (number,) in rows.fetchall()}
    finally:
        database.close()


def _names() -> set[str]:
    rows = memory._INSTANCES[os.getpid(), _prepare].execute(
        "SELECT database_name FROM duckdb_databases()"
    )
    return {name for (name,) in rows.fetchall()}


def test_databases_of_one_instance_have_tables_of_the_same_name() -> None:
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(_filled, range(60))) == [{number, 7} for number in range(60)]
    assert _names() == {"memory", "system", "temp"}


def test_an_instance_that_a_fault_made_useless_is_replaced() -> None:
    _filled(1)
    memory._INSTANCES[os.getpid(), _prepare].close()
    assert _filled(2) == {2, 7}


def test_settings_of_an_own_instance_are_its_own() -> None:
    own = own_database(_prepare)
    own.connection.execute("SET enable_external_access = false; SET lock_configuration = true")
    with pytest.raises(Exception, match="locked"):
        own.connection.execute("SET threads = 1")
    assert _filled(3) == {3, 7}
    own.close()


def test_a_forked_process_makes_an_instance_of_its_own() -> None:
    _filled(4)
    child = os.fork()
    if child == 0:
        os._exit(0 if _filled(5) == {5, 7} else 1)
    for _ in range(300):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
    assert ended
    assert os.waitstatus_to_exitcode(status) == 0
    assert _filled(6) == {6, 7}


_IN_JUPYTER = """
import sys, types

shell = types.SimpleNamespace(config={"IPKernelApp": {}})
sys.modules["IPython"] = types.ModuleType("IPython")
sys.modules["IPython"].get_ipython = lambda: shell
sys.modules["ipywidgets"] = None
from hinter_core.files.memory import own_database, shared_database

for make in (own_database, shared_database):
    print(make(lambda _: None).cursor().execute("SELECT 7").fetchall())
"""


def test_a_notebook_needs_no_ipywidgets() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IN_JUPYTER], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["[(7,)]", "[(7,)]"], done.stderr
