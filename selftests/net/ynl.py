#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# usage: ynl.py CLI
# YNL's client, the program CLI, for one command after the other: to start Python takes it
# longer than what it is asked. A command is lines of standard input, a word each, and an
# empty one. Standard output is a file that has the answer of the last one; that it is there
# is what a line of standard error says.

import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(sys.argv[1]))
import cli  # pylint: disable=import-error,wrong-import-position


def answer(words):
    """What the program does with these words on its command line"""
    os.ftruncate(1, 0)
    os.lseek(1, 0, os.SEEK_SET)
    sys.argv[1:] = words
    try:
        cli.main()
    except SystemExit:
        pass
    except Exception:  # pylint: disable=broad-exception-caught
        traceback.print_exc(file=sys.stdout)
    print(flush=True, end='')
    print('answered', file=sys.stderr, flush=True)


command = []
for line in sys.stdin:
    word = line.rstrip('\n')
    if word:
        command.append(word)
    else:
        answer(command)
        command = []
