#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a new figure needs in more than one place: its script, the list of what is installed, its row in figures.def.

    check_figures.py check SOURCE        says what is missing or asked twice, and what to do
    check_figures.py self-test SOURCE    each of these is noticed in a tree that has it wrong
"""
import os
import re
import sys
import tempfile

ROW = re.compile(r'^FIGURE\((\w+),[^"]*"([^"]*)"', re.MULTILINE)


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def names_in_code(source):
    """Patterns of the scripts that code draws without a row, `scan_%s.gp`, and of those that a script loads; `%s.gp` is by row."""
    texts = [read(root, name) for root, _, names in os.walk(os.path.join(source, 'bench')) for name in names if name.endswith('.c')]
    texts += [read(source, 'plots', name) for name in os.listdir(os.path.join(source, 'plots')) if name.endswith('.gp')]
    found = {name for text in texts for name in re.findall(r'"[^"]*?([\w%]+\.gp)"', text)}
    return [re.compile(re.escape(name).replace('%s', r'\w+')) for name in found if name != '%s.gp']


def check(source):
    installed, in_code = read(source, 'plots', 'meson.build'), names_in_code(source)
    rows = ROW.findall(read(source, 'bench', 'report', 'figures.def'))
    scripts = {name for name in os.listdir(os.path.join(source, 'plots')) if name.endswith('.gp')}
    complaints = [f'figures.def draws plots/{script}.gp, which is not there: write it, or remove the row'
                  for script, _ in rows if script + '.gp' not in scripts]
    complaints += [f'figures.def asks twice: {question} Ask each row its own question'
                   for at, (_, question) in enumerate(rows) if question in [other for _, other in rows[:at]]]
    for name in sorted(scripts):
        if f"'{name}'" not in installed:
            complaints.append(f'plots/{name} is not installed: add it to the list in plots/meson.build')
        wanted = [question for script, question in rows if script + '.gp' == name]
        if not wanted and not any(pattern.fullmatch(name) for pattern in in_code):
            complaints.append(f'plots/{name} is never drawn: add FIGURE({name[:-3]}, ...) to bench/report/figures.def')
        for question in re.findall(r'^question = "(.*)"', read(source, 'plots', name), re.MULTILINE):
            if wanted and question != wanted[0]:
                complaints.append(f'plots/{name} asks "{question}" and figures.def "{wanted[0]}": write the same text')
    return complaints


def self_test(_source):
    good = {'plots/meson.build': "'a.gp', 'b.gp', 'c.gp'", 'plots/a.gp': 'question = "A?"\nload "b.gp"\n', 'plots/b.gp': '',
            'plots/c.gp': 'question = "C?"\n', 'bench/report/x.c': '"/c.gp" "%s/%s.gp"',
            'bench/report/figures.def': 'FIGURE(a, RATE, ns_per_row, ALL, "A?",\n'}
    bad = {'not installed': {'plots/meson.build': "'b.gp', 'c.gp'"}, 'never drawn': {'bench/report/x.c': '"%s/%s.gp"'},
           'not there': {'bench/report/figures.def': good['bench/report/figures.def'] + 'FIGURE(z, RATE, ns_per_row, ALL, "Z?",\n'},
           'asks twice': {'bench/report/figures.def': 2 * good['bench/report/figures.def']},
           'write the same text': {'plots/a.gp': 'question = "B?"\nload "b.gp"\n'}, '': {}}
    complaints = []
    for said, change in bad.items():
        with tempfile.TemporaryDirectory() as root:
            for path, text in (good | change).items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
                    file.write(text)
            found = check(root)
            if len(found) != (said != '') or (said and said not in found[0]):
                complaints.append(f'wanted a complaint with "{said}", found {found}')
    return complaints


def main(arguments):
    complaints = {'check': check, 'self-test': self_test}[arguments[0]](arguments[1])
    print('\n'.join(complaints))
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
