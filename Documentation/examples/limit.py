#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Run a command with 1 Mbit/s on a device: limit.py eth0 wget https://example.org/"""
import os
import sys

import netnice

device, *command = sys.argv[1:]
vif = f"{device}/limit.{os.getpid()}"
with netnice.open() as nn, nn.transaction():
    nn.create(vif)
    nn.hold(vif)  # until exec; then the VIF ends with the command
    nn.set(vif, bandwidth="1mbit")
    nn.attach(vif, "process", os.getpid())
os.execvp(command[0], command)
