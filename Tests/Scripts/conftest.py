"""What tests of `deploy/scripts` share: the scripts as modules, though their names have hyphens."""

import importlib.util
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "deploy/scripts"


@pytest.fixture
def script():
    """Loads a script by its name without `.py`."""
    def load(name):
        spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
