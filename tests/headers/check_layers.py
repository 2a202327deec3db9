#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the order kernels <- datasets <- bench.

    check_layers.py layers SOURCE          what each file includes: no path, nothing of a folder it may not use
    check_layers.py alone SOURCE BUILD     each header compiles alone, with the flags that the build gives its folder
    check_layers.py build SOURCE BUILD     those flags reach no folder they should not: an include against the order does not compile
    check_layers.py self-test SOURCE       the checks above reject trees that break each rule
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

# Which folders' headers a folder may include, beside its own; of kernels/, datasets/ may use dv.h alone.
MAY_INCLUDE = {'kernels': {}, 'datasets': {'kernels': {'dv.h'}}, 'bench': {'kernels': None, 'datasets': None}}
SOURCES = ('.c', '.h', '.cc', '.def', '.in')
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
# What a folder must not know: kernels never see a clock, the harness holds no intrinsic.
FORBIDDEN = {
    'kernels': re.compile(r'<time\.h>|<sys/time\.h>|clock_gettime|gettimeofday|__rdtsc'),
    'datasets': re.compile(r'immintrin\.h|arm_neon\.h|<time\.h>|clock_gettime'),
    'bench': re.compile(r'immintrin\.h|x86intrin\.h|arm_neon\.h'),
}


def files_of(source, folder):
    for root, _, names in os.walk(os.path.join(source, folder)):
        for name in sorted(names):
            if name.endswith(SOURCES):
                yield os.path.join(root, name)


def owners_of(source):
    """Header name -> folder. A name that two folders have is a complaint."""
    owners, complaints = {}, []
    for folder in MAY_INCLUDE:
        for path in files_of(source, folder):
            name = os.path.basename(path)
            if name in owners:
                complaints.append(f'{path}: {owners[name]}/ has a file of this name too')
            owners[name] = folder
    return owners, complaints


def complaint_about(folder, name, owners):
    if '/' in name:
        return 'a path in an include'
    owner = owners.get(name)
    if owner is None or owner == folder:
        return None  # unknown ones are generated or do not compile
    if owner not in MAY_INCLUDE[folder]:
        return f'{folder}/ may not use {owner}/'
    allowed = MAY_INCLUDE[folder][owner]
    if allowed is not None and name not in allowed:
        return f'{folder}/ may use {", ".join(sorted(allowed))} alone of {owner}/'
    return None


def check_layers(source):
    owners, complaints = owners_of(source)
    for folder in MAY_INCLUDE:
        for path in files_of(source, folder):
            with open(path, encoding='utf-8') as file:
                text = file.read()
            for kind, name in INCLUDE.findall(text):
                reason = complaint_about(folder, name, owners) if kind == '"' else None
                if reason:
                    complaints.append(f'{path}: includes {name}: {reason}')
            for match in FORBIDDEN[folder].findall(text):
                complaints.append(f'{path}: {match} has no place in {folder}/')
            if path.endswith(('.c', '.h', '.cc')) and 'SPDX-License-Identifier: Apache-2.0' not in text.split('\n')[0]:
                complaints.append(f'{path}: the first line is no SPDX line')
    return complaints


def commands_of(source, build):
    """Folder -> the compiler call of one of its C sources, without its input and outputs, and where it runs."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        entries = json.load(file)
    commands = {}
    for entry in entries:
        path = os.path.relpath(os.path.join(entry['directory'], entry['file']), source)
        folder = path.split(os.sep)[0]
        if folder not in MAY_INCLUDE or not path.endswith('.c'):
            continue
        words = shlex.split(entry['command'])
        for option in ('-o', '-MF', '-MQ'):
            while option in words:
                at = words.index(option)
                del words[at:at + 2]
        words = [word for word in words if word not in ('-c', '-MD', entry['file'])]
        commands.setdefault(folder, []).append((words, entry['directory']))
    return commands


def compiles(command, text):
    words, directory = command
    call = words + ['-fsyntax-only', '-Werror', '-x', 'c', '-']
    done = subprocess.run(call, cwd=directory, input=text, text=True, capture_output=True, check=False)
    return done.returncode == 0, done.stderr


def check_alone(source, build):
    complaints, commands, n_headers = [], commands_of(source, build), 0
    for folder in MAY_INCLUDE:
        for path in files_of(source, folder):
            if not path.endswith('.h'):
                continue
            # Twice: the include guard works.
            name = os.path.basename(path)
            fine, errors = compiles(commands[folder][0], f'#include "{name}"\n#include "{name}"\nextern int nothing;\n')
            n_headers += 1
            if not fine:
                complaints.append(f'{path} does not compile alone:\n{errors}')
    if n_headers < 10:
        complaints.append(f'only {n_headers} headers found')
    return complaints


def check_build(source, build):
    """Tries a header of each folder from every folder that may not use it, with the flags of each of its sources."""
    complaints, commands, n_tried = [], commands_of(source, build), 0
    for folder, allowed in MAY_INCLUDE.items():
        for foreign in MAY_INCLUDE:
            if foreign == folder or foreign in allowed:
                continue
            header = next(path for path in files_of(source, foreign) if path.endswith('.h'))
            for command in commands[folder]:
                n_tried += 1
                if not compiles(command, '#include "dv.h"\n')[0]:
                    complaints.append(f'{folder}/ cannot include dv.h: {" ".join(command[0])}')
                if compiles(command, f'#include "{os.path.basename(header)}"\n')[0]:
                    complaints.append(f'{folder}/ can include {header}: {" ".join(command[0])}')
    if n_tried < 3:
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
        'datasets/source.h': spdx + '#include "dv.h"\n', 'bench/verify.c': spdx + '#include "source.h"\n#include "sink.h"\n',
    }
    bad = {
        'kernels use datasets': ('kernels/walk.c', spdx + '#include "source.h"\n'),
        'datasets use a kernel header': ('datasets/source.h', spdx + '#include "sink.h"\n'),
        'datasets use bench': ('datasets/x.c', spdx + '#include "verify.h"\n'),
        'a path upward': ('bench/verify.c', spdx + '#  include "../kernels/dv.h"\n'),
        'a path downward': ('bench/verify.c', spdx + '#include "kernels/dv.h"\n'),
        'a clock in a kernel': ('kernels/walk.c', spdx + '#include <time.h>\n'),
        'an intrinsic in the harness': ('bench/verify.c', spdx + '#include <immintrin.h>\n'),
        'one name twice': ('bench/dv.h', spdx),
        'no licence line': ('kernels/walk.c', '\n' + spdx),
    }
    complaints = []
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, good | {'bench/verify.h': spdx})
        complaints += [f'a good tree is rejected: {complaint}' for complaint in check_layers(root)]
    for what, (path, text) in bad.items():
        with tempfile.TemporaryDirectory() as root:
            write_tree(root, good | {'bench/verify.h': spdx} | {path: text})
            if not any(path in complaint for complaint in check_layers(root)):
                complaints.append(f'not noticed: {what}')
    return complaints


def main(arguments):
    checks = {'layers': check_layers, 'alone': check_alone, 'build': check_build, 'self-test': self_test}
    complaints = checks[arguments[0]](*arguments[1:])
    print('\n'.join(complaints))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
