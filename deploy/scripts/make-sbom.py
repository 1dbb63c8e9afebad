#!/usr/bin/env python3
"""Writes sbom.cdx.json: the third-party components of PairSpot, as CycloneDX 1.6
(https://cyclonedx.org/docs/1.6/json/). Run it on the machine that built PairSpot, after a change
of Package.swift or packages.sh; a test compares the names.
"""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def swift_packages():
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    direct = re.findall(r'\.package\(url: "([^"]+)"', (ROOT / "Package.swift").read_text())
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        url = pin["location"].removesuffix(".git")
        name = url.rsplit("/", 1)[1]
        path = url.removeprefix("https://").rsplit("/", 1)[0]
        yield {
            "type": "library",
            "name": name,
            "version": pin["state"]["version"],
            "purl": f"pkg:swift/{path}/{name}@{pin['state']['version']}",
            "scope": "required",
            "properties": [
                {"name": "pairspot:direct", "value": str(pin["location"] in direct).lower()}],
        }


def debian_packages():
    script = (ROOT / "deploy/scripts/packages.sh").read_text()
    names = re.search(r"run_packages=\((.*?)\)", script, re.S).group(1).split()
    for name in sorted(names):
        version = subprocess.run(
            ["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True, check=True
        ).stdout
        yield {
            "type": "library",
            "name": name,
            "version": version,
            "purl": f"pkg:deb/debian/{name}@{version}?distro=bookworm",
            "scope": "required",
        }


def shipped():
    leaflet = (ROOT / "public/vendor/leaflet/leaflet.js").read_text(errors="ignore")
    version = re.search(r"Leaflet (\d+\.\d+\.\d+)", leaflet).group(1)
    yield {
        "type": "library", "name": "leaflet", "version": version,
        "purl": f"pkg:npm/leaflet@{version}", "scope": "required",
    }


def main():
    sbom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "pairspot"}},
        "components": [*swift_packages(), *debian_packages(), *shipped()],
    }
    (ROOT / "sbom.cdx.json").write_text(json.dumps(sbom, indent=2) + "\n")


if __name__ == "__main__":
    main()
