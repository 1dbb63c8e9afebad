"""The Helm chart, rendered and compared with the kustomize base."""

import copy
import hashlib
import json
import pathlib
import re

import jsonschema
import kubernetes_validate
import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy/helm"
BASE = ROOT / "deploy/kubernetes/base"
PART = {"app.kubernetes.io/part-of": "pairspot"}


class Renderer:
    """The part of Go's templates that the chart uses; anything else is an error."""

    FUNCTIONS = {
        "quote": lambda value: json.dumps(str(value)),
        "printf": lambda text, *values: text % values,
        "toYaml": lambda value: yaml.safe_dump(value).strip(),
        "sha256sum": lambda value: hashlib.sha256(value.encode()).hexdigest(),
    }

    def __init__(self, values):
        self.scope = {"Values": values, "Release": {"Namespace": "pairspot"}}

    def render(self, text):
        text = re.sub(r"\s*\{\{-", "{{", text)
        self.tokens = re.split(r"\{\{ ?(.*?) ?\}\}", text)
        # Texts and actions alternate.
        self.place = 0
        rendered = self.block({})
        assert self.place == len(self.tokens), "an end without a beginning"
        return rendered

    def block(self, names):
        found = []
        while self.place < len(self.tokens):
            found.append(self.tokens[self.place])
            if self.place + 1 == len(self.tokens):
                self.place += 1
                break
            action = self.tokens[self.place + 1]
            self.place += 2
            if action == "end":
                break
            begin = self.place
            if action.startswith("if "):
                inside = self.block(names)
                found.append(inside if self.value(action[3:], names) else "")
            elif match := re.fullmatch(r"range (\$\w+), (\$\w+) := (.*)", action):
                pairs = sorted(self.value(match[3], names).items())
                for key, value in pairs or [("", "")]:
                    self.place = begin
                    inside = self.block(names | {match[1]: key, match[2]: value})
                    found.append(inside if pairs else "")
            else:
                found.append(str(self.value(action, names)))
        return "".join(found)

    def value(self, expression, names):
        result = ()
        for step in expression.split(" | "):
            words = re.findall(r'"[^"]*"|\S+', step)
            if words[0] in self.FUNCTIONS:
                given = [self.word(word, names) for word in words[1:]]
                result = (self.FUNCTIONS[words[0]](*given, *result),)
            else:
                assert len(words) == 1, step
                result = (self.word(words[0], names),)
        return result[0]

    def word(self, word, names):
        if word.startswith('"'):
            return json.loads(word)
        if word.startswith("$"):
            return names[word]
        found = self.scope
        for name in word.removeprefix(".").split("."):
            found = found[name]
        return found


def values():
    return yaml.safe_load((CHART / "values.yaml").read_text())


def rendered(changed=None):
    """The objects of the chart, by kind and name."""
    renderer = Renderer(changed or values())
    return by_name(renderer.render(path.read_text()) for path in CHART.glob("templates/*.yaml"))


def by_name(texts):
    documents = [found for text in texts for found in yaml.safe_load_all(text)]
    return {(found["kind"], found["metadata"]["name"]): found for found in documents}


def pod_template(found):
    spec = found.get("spec", {})
    return spec.get("jobTemplate", {}).get("spec", spec).get("template")


def base():
    """The objects of the base, as the kustomization of the example makes them."""
    texts = [path.read_text() for path in BASE.glob("*.yaml") if path.name != "kustomization.yaml"]
    found = by_name(texts)
    image = values()["image"]
    for one in found.values():
        one["metadata"]["labels"] = one["metadata"].get("labels", {}) | PART
        if template := pod_template(one):
            template["metadata"]["labels"] |= PART
            for container in template["spec"]["containers"]:
                container["image"] = f"{image['repository']}:{image['tag']}"
    return found


def test_the_chart_makes_what_the_base_makes():
    found = rendered()
    settings = found.pop(("ConfigMap", "pairspot-settings"))
    assert settings["data"] == values()["settings"] | {
        "PAIRSPOT_BASE_URL": "https://pairspot.example.com"}
    for (kind, _), one in found.items():
        if kind == "PersistentVolumeClaim":
            assert one["metadata"].pop("annotations") == {"helm.sh/resource-policy": "keep"}
        if kind == "Deployment":
            assert "checksum/values" in pod_template(one)["metadata"].pop("annotations")
    assert found == base()


def test_values_reach_the_manifests():
    changed = values()
    changed["host"] = "two.example.org"
    changed["image"]["tag"] = "9.9.9"
    changed["secretName"] = "ours"
    changed["settings"] = {"PAIRSPOT_THREADS": 6}
    changed["storage"] |= {"className": "fast", "data": "90Gi"}
    changed["ingress"] = {"className": "inner", "namespace": "edge", "tlsSecretName": "cert"}
    found = rendered(changed)
    assert found["ConfigMap", "pairspot-settings"]["data"] == {
        "PAIRSPOT_BASE_URL": "https://two.example.org", "PAIRSPOT_THREADS": "6"}
    ingress = found["Ingress", "pairspot"]["spec"]
    assert ingress["ingressClassName"] == "inner"
    assert ingress["tls"] == [{"hosts": ["two.example.org"], "secretName": "cert"}]
    claim = found["PersistentVolumeClaim", "pairspot-data"]["spec"]
    assert claim["storageClassName"] == "fast"
    assert claim["resources"]["requests"]["storage"] == "90Gi"
    for one in filter(pod_template, found.values()):
        pod = pod_template(one)["spec"]
        assert pod["containers"][0]["image"].endswith(":9.9.9")
        assert pod["volumes"][-1]["secret"] == {"secretName": "ours"}
    before = pod_template(rendered()["Deployment", "pairspot"])["metadata"]["annotations"]
    after = pod_template(found["Deployment", "pairspot"])["metadata"]["annotations"]
    assert before != after


def test_secret_settings_and_their_ports_reach_all_pods():
    changed = values()
    changed["secretSettings"] = {"PAIRSPOT_REDIS_URL": "redis-url"}
    changed["egressPorts"] = {"redis": 6379}
    found = rendered(changed)
    pods = [pod_template(one)["spec"] for one in found.values() if pod_template(one)]
    assert len(pods) == 3
    for pod in pods:
        environment = {one["name"]: one["value"] for one in pod["containers"][0]["env"]}
        assert environment["PAIRSPOT_REDIS_URL_FILE"] == "/run/secrets/pairspot/redis-url"
    for name in ("pairspot", "pairspot-backup"):
        egress = found["NetworkPolicy", name]["spec"]["egress"][0]["ports"]
        assert {"port": 6379} in egress and {"port": 53} in egress
    for one in found.values():
        kubernetes_validate.validate(one, "1.30", strict=True)


def test_each_object_is_valid():
    for found in rendered().values():
        kubernetes_validate.validate(found, "1.30", strict=True)


def test_the_schema_takes_the_values_and_refuses_mistakes():
    schema = json.loads((CHART / "values.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(values(), schema)
    for change in [
            {"hots": "x"}, {"host": "https://x"}, {"settings": {"PAIRSPOT_BASE_URL": "https://x"}},
            {"image": {"repository": "x"}}, {"settings": {"x": []}},
            {"secretSettings": {"PAIRSPOT_REDIS_URL": "redis://x"}},
            {"egressPorts": {"redis": "x"}}]:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(copy.deepcopy(values()) | change, schema)


def test_the_settings_of_the_values_are_documented():
    documented = (ROOT / "docs/operator/settings.md").read_text()
    for name in values()["settings"]:
        assert f"| `{name}` |" in documented, name


def test_the_chart_describes_itself():
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["apiVersion"] == "v2" and chart["name"] == "pairspot"
    assert re.fullmatch(r"\d+\.\d+\.\d+", chart["version"]) and chart["type"] == "application"
    program = (ROOT / "Sources/pairspot/Version.swift").read_text()
    assert f'number = "{chart["appVersion"]}"' in program
    Renderer(values()).render((CHART / "templates/NOTES.txt").read_text())
