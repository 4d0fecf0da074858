#!/usr/bin/python3
"""Runs all of cloud-init's stages in one process.

Debian runs each of the four stages in a process of its own, and loading cloud-init
takes an emulated processor several seconds each time. The stages are the same and so
is their order: systemd is told that the unit has started when the first two are done
(network written, keys and users there), which is what the network and sshd wait for.
"""
import os
import socket
import sys

# Optional parts, costly to load: validation of the seed and Jinja templates in it.
sys.modules["jsonschema"] = None
sys.modules["jinja2"] = None

from cloudinit.cmd import main  # noqa: E402


def stage(*arguments):
    sys.argv = ["cloud-init", *arguments]
    try:
        main.main()
    except SystemExit as end:
        if end.code:
            print("cloud-init", *arguments, "ended with", end.code, file=sys.stderr)


def ready():
    address = os.environ.pop("NOTIFY_SOCKET", "")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.sendto(b"READY=1", address.replace("@", "\0", 1))


os.makedirs("/run/cloud-init", exist_ok=True)
open("/run/cloud-init/enabled", "w").close()
stage("init", "--local")
stage("init")
ready()
os.nice(10)
stage("modules", "--mode=config")
stage("modules", "--mode=final")
