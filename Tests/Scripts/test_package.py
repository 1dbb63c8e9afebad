"""Package.swift (docs/decisions/0019-transitive-dependencies-are-named.md)."""

import json
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def named(target):
    return {found["byName"][0] for found in target["dependencies"] if "byName" in found}


def test_each_target_names_all_modules_that_it_is_made_of(tmp_path):
    described = subprocess.check_output(
        ["swift", "package", "--scratch-path", tmp_path, "dump-package"], cwd=CHECKOUT)
    targets = {target["name"]: target for target in json.loads(described)["targets"]}
    modules = {name for name, target in targets.items() if target["type"] == "regular"}
    assert {"Core", "Web", "Accounts", "App"} <= modules
    for name, target in targets.items():
        for inner in named(target) & modules:
            assert named(targets[inner]) & modules <= named(target), (name, inner)
