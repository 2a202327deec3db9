# SPDX-License-Identifier: Apache-2.0
"""The CSV files of a run, as lists of rows that are dicts of texts."""
import csv


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def rewrite(path, change):
    """With each row changed; one that becomes None is left out."""
    write(path, [row for row in map(change, read(path)) if row])
