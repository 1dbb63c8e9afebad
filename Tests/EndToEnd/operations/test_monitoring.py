"""The rules and the dashboard of `deploy/monitoring`, against the metrics of a running instance."""

import json
import re
import subprocess

import pytest
import yaml

from instance import CHECKOUT
from people import Visitor

FOLDER = CHECKOUT / "deploy/monitoring"
RULES = FOLDER / "pairspot.rules.yml"
NAME = re.compile(r"\b(pairspot_[a-z_]+|up)\b")
# Only where PairSpot serves https itself.
CERTIFICATE = "pairspot_certificate_end_timestamp_seconds"


def promtool(*words, text=""):
    return subprocess.run(
        ["promtool", *map(str, words)], input=text, capture_output=True, text=True, timeout=300)


def rules():
    return yaml.safe_load(RULES.read_text())["groups"][0]["rules"]


def expressions(thing):
    """Every `expr` of the dashboard, as Prometheus gets it from Grafana."""
    if isinstance(thing, list):
        return [found for part in thing for found in expressions(part)]
    if not isinstance(thing, dict):
        return []
    own = [thing["expr"]] if "expr" in thing else []
    return own + [found for part in thing.values() for found in expressions(part)]


@pytest.fixture(scope="module")
def dashboard():
    found = expressions(json.loads((FOLDER / "grafana-dashboard.json").read_text()))
    assert len(found) > 30
    return [one.replace("$__rate_interval", "5m").replace("$instance", ".+") for one in found]


@pytest.fixture
def metrics(own_site):
    site = own_site(PAIRSPOT_DEMO="1")
    visitor = Visitor(site)
    assert visitor.get("/about").status == 200
    return visitor.get("/metrics").text


def declared(metrics):
    return dict(re.findall(r"^# TYPE (\S+) (\S+)$", metrics, re.M))


def test_the_metrics_follow_the_conventions(metrics):
    run = promtool("check", "metrics", text=metrics)
    assert (run.returncode, run.stdout + run.stderr) == (0, "")


def test_rules_and_dashboard_ask_for_metrics_that_exist(metrics, dashboard):
    names = {"up", CERTIFICATE}
    for name, kind in declared(metrics).items():
        ends = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
        names |= {name + end for end in ends}
    wanted = dashboard + [rule["expr"] for rule in rules()]
    # Labels of one kind look like names of metrics; none begins like them.
    asked = {name for expression in wanted for name in NAME.findall(expression)}
    assert asked - names == set()


def test_the_page_for_operators_names_every_metric(metrics):
    page = (CHECKOUT / "docs/operator/monitoring.md").read_text()
    rows = {}
    for row in re.findall(r"^\| (`pairspot_.*) \|$", page, re.M):
        cells = row.split(" | ")
        for name in re.findall(r"`(pairspot_[a-z_]+)", cells[0]):
            rows[name] = cells[1]
    known = {name for name in declared(metrics) if "_security_" not in name} | {CERTIFICATE}
    assert known - set(rows) == set()
    assert {name for name in rows if "_security_" not in name} - known == set()


def test_each_alert_fires_on_an_ill_instance_and_not_on_a_well_one():
    run = promtool("check", "rules", RULES)
    assert run.returncode == 0, run.stdout + run.stderr
    run = promtool("test", "rules", FOLDER / "pairspot.rules.test.yml")
    assert run.returncode == 0, run.stdout + run.stderr
    tested = (FOLDER / "pairspot.rules.test.yml").read_text()
    for rule in rules():
        assert f'alertname="{rule["alert"]}"' in tested or f"alertname: {rule['alert']}" in tested


def test_the_example_configuration_is_valid():
    run = promtool("check", "config", FOLDER / "prometheus.yml")
    assert run.returncode == 0, run.stdout + run.stderr


def test_each_alert_says_what_it_is_and_has_a_place_in_the_documentation():
    page = (CHECKOUT / "docs/operator/alerts.md").read_text()
    headings = set(re.findall(r"^## (\w+)$", page, re.M))
    for rule in rules():
        notes = rule["annotations"]
        assert notes["summary"] and notes["description"]
        assert notes["runbook_url"] == f"docs/operator/alerts.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("warning", "critical")
    assert headings == {rule["alert"] for rule in rules()}


def test_prometheus_understands_each_query_of_the_dashboard(dashboard, tmp_path):
    records = [
        {"record": f"panel:{number}", "expr": one} for number, one in enumerate(dashboard)]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": records}]}))
    run = promtool("check", "rules", file)
    assert run.returncode == 0, run.stdout + run.stderr
