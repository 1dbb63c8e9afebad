"""A Debian machine in QEMU with systemd as its first process."""

import os
import shlex
import shutil
import subprocess

from instance import free_port, wait_until

# What a fresh server has, the libraries that PairSpot's package depends on, and what plays the
# internet for it. The machine can reach none.
PACKAGES = """
  linux-image-cloud-amd64 initramfs-tools systemd-sysv systemd-timesyncd dbus udev openssh-server
  iproute2 ca-certificates openssl curl tzdata debconf nginx libnginx-mod-nchan dehydrated
  libarchive13 libcurl4 libexif12 libexpat1 libfcgi0ldbl libgd3 libidn2-0 libpq5 libqrencode4
  libsqlite3-0 libsystemd0 libturbojpeg0 libzbar0 dnsmasq pebble podman podman-compose crun netavark aardvark-dns
""".split()

NETWORK = """[Match]
Name=en* eth*
[Network]
DHCP=yes
[DHCPv4]
UseDNS=no
"""


def build_image(folder):
    """Makes kernel, initial RAM disk, file system and the key for root's sign-in."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    root, key = folder / "root", folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    (folder / "network").write_text(NETWORK)
    hooks = [
        'mkdir -p "$1/root/.ssh"', f'cp {key}.pub "$1/root/.ssh/authorized_keys"',
        f'cp {folder}/network "$1/etc/systemd/network/80-all.network"',
        'echo server > "$1/etc/hostname"',
        'chroot "$1" systemctl enable systemd-networkd',
        'chroot "$1" systemctl disable dnsmasq',
        'rm -f "$1/etc/resolv.conf"', 'echo nameserver 127.0.0.1 > "$1/etc/resolv.conf"',
        f'cp "$1"/boot/vmlinuz-* {folder}/kernel', f'cp "$1"/boot/initrd.img-* {folder}/initrd',
    ]
    subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=important", f"--include={','.join(PACKAGES)}",
         *(f"--customize-hook={hook}" for hook in hooks), "bookworm", root],
        check=True, timeout=900)
    disk = folder / "disk.new"
    subprocess.run(["truncate", "-s", "8G", disk], check=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", root, disk], check=True)
    shutil.rmtree(root)
    disk.rename(folder / "disk")


class Machine:
    """A machine with a disk of its own. Ports of it are open on this machine's loopback."""

    def __init__(self, image, folder, ports):
        self.image = image
        self.folder = folder
        self.disk = folder / "disk"
        subprocess.run(["cp", "--sparse=always", image / "disk", self.disk], check=True)
        self.ports = {port: free_port() for port in (22, *ports)}
        self.log = folder / "console.log"
        self.process = None
        self.tunnel = None

    def start(self, seconds=600):
        forwards = "".join(
            f",hostfwd=tcp:127.0.0.1:{here}-:{there}" for there, here in self.ports.items())
        # KVM hangs on some hosts although it is offered.
        kind = os.environ.get("TEST_ACCELERATOR", "tcg,thread=multi")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["qemu-system-x86_64", "-accel", kind, "-cpu", "max", "-smp", "2", "-m", "2048",
                 "-nodefaults", "-display", "none", "-serial", "stdio",
                 "-kernel", self.image / "kernel", "-initrd", self.image / "initrd",
                 "-append", "root=/dev/vda rw console=ttyS0 quiet",
                 "-drive", f"file={self.disk},format=raw,if=virtio,cache=writeback",
                 "-netdev", f"user,id=net{forwards}", "-device", "virtio-net-pci,netdev=net",
                 "-device", "virtio-rng-pci"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.wait(seconds)
        return self

    def wait(self, seconds=600):
        """Waits until root can sign in."""
        def answers():
            assert self.process.poll() is None, self.log.read_text()[-2000:]
            return self.run("true", check=False, seconds=30).returncode == 0
        wait_until(answers, seconds, "the machine")

    def ssh(self, *options):
        return [
            "ssh", "-q", "-i", self.image / "key", "-p", str(self.ports[22]),
            "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
            "-o", "ConnectTimeout=10", "-o", "BatchMode=yes", *options, "root@127.0.0.1"]

    def run(self, command, check=True, given=None, seconds=600):
        """Runs a command line as root."""
        try:
            found = subprocess.run(
                [*self.ssh(), command], input=given, text=True, capture_output=True,
                timeout=seconds)
        except subprocess.TimeoutExpired:
            assert not check, f"{command} takes more than {seconds} s"
            return subprocess.CompletedProcess(command, 255, "", "")
        assert not check or found.returncode == 0, f"{command}\n{found.stdout}\n{found.stderr}"
        return found

    def put(self, path, there):
        with open(path, "rb") as file:
            subprocess.run(
                [*self.ssh(), f"cat > {shlex.quote(str(there))}"], stdin=file, check=True,
                timeout=900)

    def open_tunnel(self, there, here):
        """Lets a port of the machine's loopback lead to one of this machine's."""
        self.close_tunnel()
        self.tunnel = subprocess.Popen(
            self.ssh("-N", "-R", f"127.0.0.1:{there}:127.0.0.1:{here}",
                     "-o", "ExitOnForwardFailure=yes"), stdin=subprocess.DEVNULL)

    def close_tunnel(self):
        if self.tunnel:
            self.tunnel.kill()
            self.tunnel.wait()
            self.tunnel = None

    def cut_power(self):
        self.close_tunnel()
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
