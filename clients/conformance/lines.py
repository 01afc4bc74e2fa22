"""A phone and a service with a line between them that can be cut: network namespaces and a bridge.

    phone ---- hub (a bridge) ---- service

The cut is at the hub, so neither end is told: what was sent is lost, and connections stay. Needs root.
"""

import os
import subprocess

SERVICE = "10.87.0.1"
PHONE = ["10.87.0.2", "10.87.0.3"]


def _ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Lines:
    """Made when entered, and gone when left."""

    def __init__(self):
        self.prefix = f"sc{os.getpid()}"
        self.home = 0

    def name(self, which):
        return f"{self.prefix}-{which}"

    def __enter__(self):
        try:
            for which in ("hub", "phone", "service"):
                _ip("netns", "add", self.name(which))
                _ip("-n", self.name(which), "link", "set", "lo", "up")
            _ip("-n", self.name("hub"), "link", "add", "bridge", "type", "bridge")
            _ip("-n", self.name("hub"), "link", "set", "bridge", "up")
            for which, address in (("service", SERVICE), ("phone", PHONE[0])):
                _ip(
                    *("-n", self.name("hub"), "link", "add", which, "type", "veth"),
                    *("peer", "name", "line", "netns", self.name(which)),
                )
                _ip("-n", self.name("hub"), "link", "set", which, "master", "bridge", "up")
                _ip("-n", self.name(which), "addr", "add", f"{address}/24", "dev", "line")
                _ip("-n", self.name(which), "link", "set", "line", "up")
        except (OSError, subprocess.CalledProcessError):
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for which in ("phone", "service", "hub"):
            subprocess.run(["ip", "netns", "del", self.name(which)], capture_output=True, check=False)

    def inside(self, which):
        """What a command that runs there begins with."""
        return ["ip", "netns", "exec", self.name(which)]

    def cut(self):
        _ip("-n", self.name("hub"), "link", "set", "phone", "down")

    def heal(self):
        _ip("-n", self.name("hub"), "link", "set", "phone", "up")

    def move(self):
        """The phone gets another address and loses the one that it had."""
        old, self.home = self.home, 1 - self.home
        _ip("-n", self.name("phone"), "addr", "del", f"{PHONE[old]}/24", "dev", "line")
        _ip("-n", self.name("phone"), "addr", "add", f"{PHONE[self.home]}/24", "dev", "line")


class NoLines:
    """All on loopback, where nothing can be cut."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def inside(self, _which):
        return []
