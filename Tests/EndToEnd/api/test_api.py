"""The API's document is valid, and the running instance conforms to it."""

import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from people import Visitor
from test_pages import check

DOCUMENT = "/api/v1/openapi.json"
METHODS = {"get", "post", "put", "patch", "delete"}

# Checks for answers to any request.
CHECKS = ("not_a_server_error,status_code_conformance,content_type_conformance,"
          "response_schema_conformance,response_headers_conformance")


@pytest.fixture
def document(visitor):
    return json.loads(visitor.get(DOCUMENT).body)


def contents(document):
    """Every body in the document: its location, its schema, its example."""
    for path, calls in document["paths"].items():
        for method, call in calls.items():
            assert method in METHODS
            bodies = [("body", call["requestBody"])] if "requestBody" in call else []
            for name, body in bodies + list(call["responses"].items()):
                for kind, content in body.get("content", {}).items():
                    yield f"{method} {path} {name} {kind}", content


def test_the_document_is_openapi(document):
    assert document["openapi"].startswith("3.1.")
    validate(document)


def test_every_example_is_what_its_schema_says(document):
    checked = 0
    for place, content in contents(document):
        if "example" not in content:
            continue
        # References point into the document's components.
        schema = content["schema"] | {"components": document["components"]}
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(
            schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
        errors = [error.message for error in validator.iter_errors(content["example"])]
        assert errors == [], place
        checked += 1
    assert checked > 2


def test_errors_have_their_shape_from_the_outside_too(visitor, document):
    validator = Draft202012Validator(
        {"$ref": "#/components/schemas/Error", "components": document["components"]})
    for method, path, status in [
            ("GET", "/api/v1/account", 401), ("GET", "/api/v1/nothing", 404),
            ("PUT", "/api/v1/account", 405)]:
        answer = visitor.ask(method, path, None, {})
        assert answer.status == status
        assert answer.headers["Content-Type"].startswith("application/json")
        assert answer.headers["X-Request-Id"]
        validator.validate(json.loads(answer.body))
    # Refused by nginx before a handler sees it.
    large = visitor.ask("PATCH", "/api/v1/account", b"", {"Content-Length": str(10 << 20)})
    assert large.status == 413
    validator.validate(json.loads(large.body))
    assert json.loads(large.body)["error"]["code"] == "payload_too_large"


def test_a_compressed_answer_is_known_again(visitor):
    first = visitor.get(DOCUMENT, **{"Accept-Encoding": "gzip"})
    assert first.headers["Content-Encoding"] == "gzip"
    again = visitor.get(
        DOCUMENT, **{"Accept-Encoding": "gzip", "If-None-Match": first.headers["ETag"]})
    assert again.status == 304 and again.body == b""


def test_the_page_for_people_is_accessible_and_fits_with_every_call_open(new_page):
    page = new_page()
    page.goto("/api?part=posts")
    page.eval_on_selector_all("main details", "all => all.forEach((one) => { one.open = true; })")
    page.locator("main pre").first.wait_for()
    check(page)
    assert page.get_by_role("link", name="openapi.json").get_attribute("href") == DOCUMENT


@pytest.mark.parametrize("seconds", [24, pytest.param(100, marks=pytest.mark.long)])
def test_whatever_is_sent_the_answers_keep_to_the_document(own_site, tmp_path, seconds):
    """Schemathesis makes up calls, good and bad ones, for so long."""
    site = own_site(PAIRSPOT_DEMO="1")
    sam = Visitor(site).sign_in("sam@example.test")
    token = json.loads(sam.get("/csrf").body)["token"]
    cookies = "; ".join(f"{name}={value.value}" for name, value in sam.cookies.items())
    document = json.loads(sam.get(DOCUMENT).body)
    # It would sign itself out, and all later calls would be refused.
    del document["paths"]["/auth/logout"]["post"]
    # Otherwise it generates tokens, too, and most calls would be refused.
    for calls in document["paths"].values():
        for call in calls.values():
            del call["security"]
    del document["components"]["securitySchemes"]
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document))
    # Its progress in the given time depends on the machine; one call has a time of its own.
    one = ["--include-path", "/account", "--include-method", "PATCH"]
    for most, calls in [(seconds * 3 // 4, []), (seconds // 4, one)]:
        run = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", str(file),
             "--url", f"{site.url}/api/v1", "--checks", CHECKS, "--max-time", str(most), *calls,
             "--max-examples", "30", "--seed", "1", "--suppress-health-check", "all",
             "--warnings", "off", "--no-shrink",
             "-H", f"Cookie: {cookies}", "-H", f"X-CSRF-Token: {token}"],
            cwd=tmp_path, capture_output=True, text=True, timeout=180)
        assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
    # It was authenticated and changed something, so it really tested the call; how often depends on
    # the machine.
    log = [json.loads(line) for line in (site.data / "logs/requests.log").read_text().splitlines()]
    changes = [line["status"] for line in log if line["route"] == "PATCH /api/v1/account"]
    assert changes.count(200) > 2 and changes.count(422) > 2, changes
