#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the order of the rooms: kernels <- datasets <- bench/results <- ... <- bench/commands (ROOMS below).

    check_layers.py layers SOURCE          what each file includes: no path, nothing of a room it may not use; and that what a user
                                           reads, the pages and the strings of the code, has none of the words in PLAIN
    check_layers.py alone SOURCE BUILD     each header compiles alone, with the flags that the build gives its room
    check_layers.py build SOURCE BUILD     those flags reach no room they should not: an include against the order does not compile
    check_layers.py counts SOURCE          prints how many includes of each room go to which
    check_layers.py self-test SOURCE       the checks above reject trees that break each rule
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

# In the order of the data: a room may include headers of itself and of those before it. `bench` has no files of its own.
ROOMS = ('kernels', 'datasets', 'bench/results', 'bench/measure', 'bench/counters', 'bench/sweep', 'bench/engine', 'bench/report',
         'bench/commands')
# Of a room, another may use these headers only.
ONLY = {('datasets', 'kernels'): {'dv.h'}}
SOURCES = ('.c', '.h', '.cc', '.def', '.in')
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
# What a room must not know: kernels never see a clock, the harness holds no intrinsic.
HARNESS_FORBIDDEN = re.compile(r'immintrin\.h|x86intrin\.h|arm_neon\.h')
FORBIDDEN = {
    'kernels': re.compile(r'<time\.h>|<sys/time\.h>|clock_gettime|gettimeofday|__rdtsc'),
    'datasets': re.compile(r'immintrin\.h|arm_neon\.h|<time\.h>|clock_gettime'),
}

STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
PLAIN = {'behind': 'after, or past', 'beside': 'next to, or besides', 'dearer': 'slower, or more expensive', 'dearest': 'slowest',
         'mend(?:s|ed)?': 'repair', 'tells': 'shows, or lists', 'anew': 'again', 'for want of': 'without', 'to be had': 'available',
         '(?:row|line|byte|file) a (?:row|line|cell|sample|file)': 'per', 'letter by letter': 'exactly'}


def files_of(source, room):
    for root, _, names in os.walk(os.path.join(source, room)):
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.join(root, name)


def room_of(path):
    """The room of a path below the source folder, or None."""
    return next((room for room in ROOMS if path.startswith(room + '/')), None)


def owners_of(source):
    """Header name -> room. A name that two rooms have is a complaint, and so is a file of bench/ in no room."""
    owners, complaints = {}, []
    for path in files_of(source, 'bench'):
        if not room_of(os.path.relpath(path, source)):
            complaints.append(f'{path}: in no room; give it one, or add its folder to ROOMS')
    for room in ROOMS:
        for path in files_of(source, room):
            name = os.path.basename(path)
            if name in owners:
                complaints.append(f'{path}: {owners[name]}/ has a file of this name too')
            owners[name] = room
    return owners, complaints


def odd_words_of(path, read):
    return [f'{path}: "{word}" stops a reader: write {better}' for word, better in PLAIN.items()
            if re.search(rf'\b{word}\b', read, re.IGNORECASE)]


def may_use(room, other):
    return ROOMS.index(other) <= ROOMS.index(room)


def complaint_about(room, name, owners):
    if '/' in name:
        return 'a path in an include'
    owner = owners.get(name)
    if owner is None or owner == room:
        return None  # unknown ones are generated or do not compile
    if not may_use(room, owner):
        return f'{room}/ comes before {owner}/ and may not use it'
    allowed = ONLY.get((room, owner))
    if allowed is not None and name not in allowed:
        return f'{room}/ may use only {", ".join(sorted(allowed))} of {owner}/'
    return None


def check_layers(source):
    owners, complaints = owners_of(source)
    for room in ROOMS:
        for path in files_of(source, room):
            with open(path, encoding='utf-8') as file:
                text = file.read()
            for kind, name in INCLUDE.findall(text):
                reason = complaint_about(room, name, owners) if kind == '"' else None
                if reason:
                    complaints.append(f'{path}: includes {name}: {reason}')
            for match in FORBIDDEN.get(room, HARNESS_FORBIDDEN).findall(text):
                complaints.append(f'{path}: {match} has no place in {room}/')
            if path.endswith(('.c', '.h', '.cc')) and 'SPDX-License-Identifier: Apache-2.0' not in text.split('\n')[0]:
                complaints.append(f'{path}: the first line is not an SPDX line')
            complaints += odd_words_of(path, '\n'.join(STRING.findall(text)))
    for path in glob.glob(f'{source}/*.md') + glob.glob(f'{source}/*/*.md'):
        with open(path, encoding='utf-8') as file:
            complaints += odd_words_of(path, file.read())
    return complaints


def counts(source):
    """A table: of the room of the row, the includes of headers of the room of the column."""
    owners, _ = owners_of(source)
    print('| | ' + ' | '.join(ROOMS) + ' |\n' + '|---' * (len(ROOMS) + 1) + '|')
    for room in ROOMS:
        cells = dict.fromkeys(ROOMS, 0)
        for path in files_of(source, room):
            with open(path, encoding='utf-8') as file:
                for kind, name in INCLUDE.findall(file.read()):
                    if kind == '"' and name in owners:
                        cells[owners[name]] += 1
        print(f'| {room} | ' + ' | '.join(str(cells[other] or '') for other in ROOMS) + ' |')
    return []


def commands_of(source, build):
    """Room -> the distinct compiler calls of its C sources, without input and outputs, and where they run."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        entries = json.load(file)
    commands = {}
    for entry in entries:
        room = room_of(os.path.relpath(os.path.join(entry['directory'], entry['file']), source))
        if not room or not entry['file'].endswith('.c'):
            continue
        words = shlex.split(entry['command'])
        for option in ('-o', '-MF', '-MQ'):
            while option in words:
                at = words.index(option)
                del words[at:at + 2]
        call = ([word for word in words if word not in ('-c', '-MD', entry['file'])], entry['directory'])
        if call not in commands.setdefault(room, []):
            commands[room].append(call)
    return commands


def compile_all(command, texts):
    """Compiles each text (name -> C code) alone, all in one call of the compiler; returns what it said."""
    words, directory = command
    while os.path.basename(words[0]) in ('ccache', 'sccache'):  # it never has these
        words = words[1:]
    with tempfile.TemporaryDirectory() as folder:
        write_tree(folder, texts)
        call = words + ['-fsyntax-only', '-Werror'] + [os.path.join(folder, name) for name in texts]
        done = subprocess.run(call, cwd=directory, text=True, capture_output=True, check=False)
    return done.stderr or f'exit {done.returncode}' if done.returncode else ''


def check_alone(source, build):
    complaints, commands, n_headers = [], commands_of(source, build), 0
    for room in ROOMS:
        names = [os.path.basename(path) for path in files_of(source, room) if path.endswith('.h')]
        n_headers += len(names)
        # Twice: the include guard works.
        errors = compile_all(commands[room][0], {
            f'{name}.c': f'#include "{name}"\n#include "{name}"\nextern int nothing;\n' for name in names})
        if errors:
            complaints.append(f'headers of {room}/ that do not compile alone (NAME.h.c includes NAME.h, twice):\n{errors}')
    if n_headers < 10:
        complaints.append(f'only {n_headers} headers found')
    return complaints


def check_build(source, build):
    """Looks from every room for a header of each room after it, with all the flags that its sources are compiled with."""
    complaints, commands, n_tried = [], commands_of(source, build), 0
    for room in ROOMS:
        later = [os.path.basename(next(path for path in files_of(source, other) if path.endswith('.h')))
                 for other in ROOMS[ROOMS.index(room) + 1:]]
        text = '#include "dv.h"\n' + ''.join(
            f'#if __has_include("{name}")\n#error {room}/ can include {name}\n#endif\n' for name in later)
        for command in commands[room]:
            n_tried += len(later)
            errors = compile_all(command, {'order.c': text})
            if errors:
                complaints.append(f'{room}/, with {" ".join(command[0])}:\n{errors}')
    if n_tried < len(ROOMS) * (len(ROOMS) - 1) / 2:
        complaints.append(f'only {n_tried} includes tried')
    return complaints


def write_tree(root, files):
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'w', encoding='utf-8') as file:
            file.write(text)


def self_test(_source):
    spdx = '/* SPDX-License-Identifier: Apache-2.0 */\n'
    good = {
        'kernels/dv.h': spdx, 'kernels/sink.h': spdx + '#include "dv.h"\n', 'kernels/walk.c': spdx + '#include "sink.h"\n',
        'datasets/source.h': spdx + '#include "dv.h"\n', 'bench/measure/verify.c': spdx + '#include "source.h"\n#include "sink.h"\n',
    }
    bad = {
        'kernels use datasets': ('kernels/walk.c', spdx + '#include "source.h"\n'),
        'datasets use a kernel header': ('datasets/source.h', spdx + '#include "sink.h"\n'),
        'datasets use bench': ('datasets/x.c', spdx + '#include "verify.h"\n'),
        'a path upward': ('bench/measure/verify.c', spdx + '#  include "../kernels/dv.h"\n'),
        'a path downward': ('bench/measure/verify.c', spdx + '#include "kernels/dv.h"\n'),
        'a clock in a kernel': ('kernels/walk.c', spdx + '#include <time.h>\n'),
        'an intrinsic in the harness': ('bench/measure/verify.c', spdx + '#include <immintrin.h>\n'),
        'one name twice': ('bench/sweep/dv.h', spdx),
        'a room uses a later one': ('bench/results/csv.c', spdx + '#include "verify.h"\n'),
        'a file in no room': ('bench/stray.c', spdx),
        'no licence line': ('kernels/walk.c', '\n' + spdx),
        'a message in odd words': ('bench/measure/verify.c', spdx + 'static const char why[] = "the dearer of two";\n'),
    }
    complaints = []
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, good | {'bench/measure/verify.h': spdx})
        complaints += [f'a good tree is rejected: {complaint}' for complaint in check_layers(root)]
    for what, (path, text) in bad.items():
        with tempfile.TemporaryDirectory() as root:
            write_tree(root, good | {'bench/measure/verify.h': spdx} | {path: text})
            if not any(path in complaint for complaint in check_layers(root)):
                complaints.append(f'not noticed: {what}')
    return complaints


def main(arguments):
    checks = {'layers': check_layers, 'alone': check_alone, 'build': check_build, 'self-test': self_test,
              'counts': counts}
    complaints = checks[arguments[0]](*arguments[1:])
    print('\n'.join(complaints))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
