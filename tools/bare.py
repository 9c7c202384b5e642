"""A bare Debian 12 in a folder: its own Python, the packages of the README, and nothing else.

Only root can make one, with debootstrap. Only the standard library is used.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOME = "/home/fiedler"
"""The folder of the clone."""
USER = "nobody:nogroup"
"""An ordinary user, who cannot install packages."""
ENTER = "mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev && exec chroot {user} {root} sh -c {script}"
"""The mounts end with the processes of the step: they are in a namespace of their own."""
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CERTIFICATES = "/opt/certificates.pem"
NEED = re.compile(r"\(Debian:\s*`([^`]+)`\)")


def missing() -> str:
    """Return the reason why there can be none here, or an empty text."""
    if os.geteuid():
        return "only root can make one"
    absent = [program for program in ("debootstrap", "unshare", "chroot") if shutil.which(program) is None]
    return f"{absent[0]} is not installed" if absent else ""


def packages() -> list[str]:
    """Return the packages that the README asks for."""
    found = NEED.search((ROOT / "README.md").read_text("utf-8"))
    assert found is not None
    return found[1].split()


class BareDebian:
    """One in a new folder."""

    def __init__(self, folder: Path) -> None:
        self._root = folder
        self._settings = [PATH, f"HOME={HOME}", "TERM=dumb"]

    def make(self, log: Path) -> int:
        """Install the system, the packages of the README, and a clone of HEAD; return the exit code."""
        with log.open("wb") as output:
            command = ["debootstrap", "--variant=minbase", "bookworm", str(self._root)]
            if code := subprocess.run(command, stdout=output, stderr=output, check=False).returncode:
                return code
        shutil.copy("/etc/resolv.conf", self._root / "etc/resolv.conf")
        self._take_settings_of_pip()
        clone = self._root / HOME[1:]
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
        install = "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
        script = f"{install} {' '.join(packages())} && chown -R {USER} {HOME}"
        with log.open("ab") as output:
            return subprocess.run(self.command(script), stdout=output, stderr=output, check=False).returncode

    def command(self, script: str, user: str = "root:root") -> Sequence[str]:
        """Return the command that runs a script of the shell there as a user, in the clone."""
        inside = f"cd {HOME} && {script}" if (self._root / HOME[1:]).exists() else script
        enter = ENTER.format(root=shlex.quote(str(self._root)), user=f"--userspec={user}", script=shlex.quote(inside))
        return [
            "env",
            "-i",
            *self._settings,
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "sh",
            "-c",
            enter,
        ]

    def _take_settings_of_pip(self) -> None:
        """Take the settings of pip and of a proxy; what they name is copied."""
        for name, value in os.environ.items():
            if name == "PIP_CERT":
                shutil.copy(value, self._root / CERTIFICATES[1:])
                self._settings.append(f"{name}={CERTIFICATES}")
            elif name.startswith("PIP_") or name.lower().endswith("_proxy"):
                self._settings.append(f"{name}={value}")
        if (wheels := Path(os.environ.get("PIP_FIND_LINKS", "/none"))).is_dir():
            shutil.copytree(wheels, self._root / str(wheels)[1:], dirs_exist_ok=True)
