"""The worker's memory and time for packing a user's export, in the running product.

A member posts noisy 12-megapixel pictures until the originals reach MEGABYTES, then requests the
export; prints the worker's peak resident size; has no limits.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd/support"))

from instance import Instance, wait_until
from people import Visitor

MEGABYTES = int(os.environ.get("MEGABYTES", "200"))


def photograph(file):
    """Grain all over, so that the file stays large."""
    subprocess.run(
        ["/usr/bin/convert", "-size", "1000x750", "plasma:tomato-steelblue",
         "-resize", "4000x3000!", "-attenuate", "0.7", "+noise", "Gaussian",
         "-quality", "90", file], check=True)
    return file.read_bytes()


def status(worker, name):
    text = pathlib.Path(f"/proc/{worker}/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+)", text)[1]) / 1000


def originals(site):
    return sum(path.stat().st_size for path in site.media() if "original_" in path.name)


def main():
    with tempfile.TemporaryDirectory(prefix="pairspot-export-") as folder:
        site = Instance(folder, PAIRSPOT_DEMO="1").start()
        try:
            measure(site, photograph(pathlib.Path(folder) / "photo.jpg"))
        finally:
            site.stop()


def measure(site, picture):
    sam = Visitor(site).sign_in("sam@example.test")
    while originals(site) < MEGABYTES * 1e6:
        sent = sam.write("Grain.", files=[(f"{n}.jpg", picture) for n in range(4)])
        assert sent.status == 303, sent.text
    [worker] = site.processes(" worker")
    pathlib.Path(f"/proc/{worker}/clear_refs").write_text("5")  # resets the peak
    before = status(worker, "VmRSS")
    started = time.perf_counter()
    form = sam.get("/settings/export").form("/settings/export")
    assert sam.post("/settings/export", form).status == 303
    link = wait_until(
        lambda: re.search(r"/settings/export/[0-9a-f-]{36}", sam.get("/settings/export").text),
        300, "the export")[0]
    seconds = time.perf_counter() - started
    [file] = (site.data / "media/exports").rglob("*.zip")
    print(f"originals: {originals(site) / 1e6:.0f} MB, ZIP: {file.stat().st_size / 1e6:.0f} MB")
    print(f"asked for until there: {seconds:.1f} s")
    print(f"worker: {before:.0f} MB before, at most {status(worker, 'VmHWM'):.0f} MB meanwhile")
    assert len(sam.get(link).body) == file.stat().st_size


if __name__ == "__main__":
    main()
