"""The manifests for Kubernetes and the files of the container image, read by schema."""

import pathlib
import re

import kubernetes_validate
import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy/kubernetes"
CONTAINER = ROOT / "deploy/container"
MANIFESTS = [
    path for path in sorted(FOLDER.rglob("*.yaml")) if path.name != "kustomization.yaml"]


def documents(path):
    return list(yaml.safe_load_all(path.read_text()))


def pods():
    for path in MANIFESTS:
        for found in documents(path):
            spec = found.get("spec", {})
            spec = spec.get("jobTemplate", {}).get("spec", spec)
            if "template" in spec:
                yield found["metadata"]["name"], spec["template"]["spec"]


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.name)
def test_each_manifest_is_valid(path):
    for found in documents(path):
        kubernetes_validate.validate(found, "1.30", strict=True)


@pytest.mark.parametrize("folder", ["base", "example"])
def test_kustomizations_name_files_that_exist_and_all_of_them(folder):
    where = FOLDER / folder
    text = yaml.safe_load((where / "kustomization.yaml").read_text())
    named = {path for path in text["resources"] if not path.startswith("..")}
    for maker in text.get("configMapGenerator", []) + text.get("secretGenerator", []):
        named |= {path for key in ("envs", "files") for path in maker.get(key, [])}
    there = {path.name for path in where.iterdir()} - {"kustomization.yaml"}
    assert named == there


def test_each_pod_is_confined_and_runs_as_the_user_of_the_image():
    user = int(re.search(r"^USER (\d+)", (CONTAINER / "Containerfile").read_text(), re.M)[1])
    found = dict(pods())
    assert set(found) == {"pairspot", "pairspot-backup", "pairspot-drill"}
    for pod in found.values():
        assert pod["securityContext"]["runAsUser"] == user
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            limits = container["securityContext"]
            assert limits["readOnlyRootFilesystem"] is True
            assert limits["allowPrivilegeEscalation"] is False
            assert limits["capabilities"] == {"drop": ["ALL"]}


def test_there_is_never_a_second_pod_at_the_volume():
    deployment = documents(FOLDER / "base/deployment.yaml")[0]
    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}


def test_compose_runs_the_image_confined():
    service = yaml.safe_load((CONTAINER / "compose.yaml").read_text())["services"]["pairspot"]
    assert service["read_only"] is True and service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_servers_of_compose_are_reached_from_inside_only_with_passwords_from_files():
    found = yaml.safe_load((CONTAINER / "compose.servers.yaml").read_text())
    services = found["services"]
    own = services.pop("pairspot")
    assert set(services) == set(own["depends_on"])
    for name, service in services.items():
        assert "ports" not in service, name
        assert re.search(r":[\d.]+[\w-]*$", service["image"]), "a version is pinned"
        assert service["healthcheck"] and service["secrets"], name
        assert service["security_opt"] == ["no-new-privileges:true"]
    used = {secret for service in [own, *services.values()] for secret in service["secrets"]}
    assert used == set(found["secrets"])
    named = {volume.split(":")[0] for service in services.values()
             for volume in service.get("volumes", [])}
    assert named == set(found["volumes"])
    for name, value in own["environment"].items():
        assert name.startswith("PAIRSPOT_")
        if name.endswith("_FILE"):
            assert value.removeprefix("/run/secrets/") in own["secrets"]
        assert not re.search("PASSWORD|SECRET_KEY|URL", name) or name.endswith("_FILE"), name


@pytest.mark.parametrize(
    "path", [CONTAINER / "pairspot.env", FOLDER / "example/pairspot.env"], ids=lambda p: p.name)
def test_settings_of_examples_are_documented(path):
    documented = (ROOT / "docs/operator/settings.md").read_text()
    for name in re.findall(r"^([A-Z_]+)=", path.read_text(), re.M):
        assert f"| `{name}` |" in documented, name
