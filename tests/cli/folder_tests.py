# SPDX-License-Identifier: Apache-2.0
"""Runs a module's functions test_*, in the order of the file, each with a new folder in which it also stands."""
import os
import tempfile


def run(module):
    for name, test in list(module.items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                test(folder)
                os.chdir("/")
            print("ok", name)
