# SPDX-License-Identifier: Apache-2.0
"""Where the tests of the engine find DuckDB's library."""
import os
import subprocess


def find_library(source, build):
    """The library's path, or the reason why there is none."""
    if os.environ.get("DVBENCH_DUCKDB"):
        return os.environ["DVBENCH_DUCKDB"], ""
    found = subprocess.run([source + "/tools/duckdb-from-npm", build + "/launcher/duckdb"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, check=False)
    return found.stdout.strip(), found.stderr.strip()
