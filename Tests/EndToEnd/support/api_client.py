"""A client of the API that knows nothing but its document: /api/v1/openapi.json.

Calls are made by their operationId. Requests are checked against the document before they are
sent, and every answer against the document's response for its status. A field that is not in the
document is an error in both directions: a typing error of ours, or something undocumented.
"""

import http.client
import json
import re
from urllib.parse import quote, urlencode, urlsplit

from jsonschema import Draft202012Validator

from people import multipart

JSON, FORM = "application/json", "multipart/form-data"
REFRESH = "post_auth_token_refresh"


class Undocumented(AssertionError):
    """A request or an answer that the document does not allow."""


class Refused(Exception):
    """A documented error."""

    def __init__(self, operation, answer):
        error = answer.data["error"]
        self.status, self.code, self.message = answer.status, error["code"], error["message"]
        self.fields = error.get("fields", {})
        super().__init__(f"{operation}: {self.status} {self.code}: {self.message} {self.fields}")


class Answer:
    """The answer; `data` is parsed JSON, the bytes of other content, or None."""

    def __init__(self, status, headers, body):
        self.status, self.headers = status, headers
        self.kind = headers.get_content_type() if headers["Content-Type"] else None
        self.data = (json.loads(body) if self.kind == JSON else body) if body else None


class Client:
    """An app of one user."""

    def __init__(self, address, device=None, language="en"):
        """Reads the document of the instance at a URL."""
        self.device, self.language = device, language
        self.access = self.refresh = None
        self.made = []  # every call sent: its operationId and its status
        self.document = self.ask("GET", f"{address}/api/v1/openapi.json", {}).data
        self.base = self.document["servers"][0]["url"]
        self.components = closed(self.document["components"])
        self.operations = {
            call["operationId"]: (method.upper(), path, call)
            for path, calls in self.document["paths"].items() for method, call in calls.items()}

    # MARK: Signing in

    def sign_in(self, email, password):
        return self.keep(self.call("post_auth_login", {
            "email": email, "password": password, "device_id": self.device}))

    def renew(self):
        """Gets the next pair of tokens."""
        return self.keep(self.call(
            REFRESH, {"refresh_token": self.refresh, "device_id": self.device}))

    def keep(self, answer):
        self.access = answer.data["access_token"]
        self.refresh = answer.data["refresh_token"]
        return answer

    # MARK: Calls

    def call(self, operation, body=None, key=None, **values):
        """Makes a call. `values` are its path and query parameters; `key` is the idempotency key
        of calls to be done once. When the access token has expired, gets a new one and repeats
        the call."""
        try:
            return self.call_once(operation, body, key, values)
        except Refused as refusal:
            if refusal.code != "token_expired" or not self.refresh or operation == REFRESH:
                raise
        self.renew()
        return self.call_once(operation, body, key, values)

    def call_once(self, operation, body, key, values):
        method, path, call = self.operations[operation]
        headers = self.authorization(call)
        parameters = dict(values) | ({"Idempotency-Key": key} if key else {})
        address, more = self.place(operation, path, call, parameters)
        content, kind = self.content(operation, call, body)
        if kind:
            headers["Content-Type"] = kind
        answer = self.ask(method, self.base + address, headers | more, content)
        self.made.append((operation, answer.status))
        self.check_answer(operation, call, answer)
        if answer.status >= 400:
            raise Refused(operation, answer)
        return answer

    def fetch(self, address):
        """Gets a URL from an answer. Only the instance itself receives the token."""
        own = urlsplit(address).netloc == urlsplit(self.base).netloc
        return self.ask("GET", address, self.bearer() if own else {})

    def authorization(self, call):
        """A token if the document requires or accepts one."""
        return self.bearer() if {"bearer": []} in call["security"] else {}

    def bearer(self):
        return {"Authorization": f"Bearer {self.access}"} if self.access else {}

    def ask(self, method, address, headers, content=None):
        to = urlsplit(address)
        kinds = {"https": http.client.HTTPSConnection, "http": http.client.HTTPConnection}
        connection = kinds[to.scheme](to.netloc, timeout=60)
        own = {"Accept-Language": self.language, "User-Agent": "PairSpot client of the document/1"}
        try:
            target = to.path + (f"?{to.query}" if to.query else "")
            connection.request(method, target, content, own | headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    # MARK: Requests

    def place(self, operation, path, call, values):
        """The path and the query of a call, and its header parameters."""
        query, headers = {}, {}
        for parameter in call.get("parameters", []):
            name, place = parameter["name"], parameter["in"]
            if name not in values:
                if parameter["required"]:
                    raise Undocumented(f"{operation} needs {name}")
                continue
            value = values.pop(name)
            self.check(f"{operation}: {name}", parameter["schema"], value)
            if place == "path":
                path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
            else:
                {"query": query, "header": headers}[place][name] = str(value)
        if values:
            raise Undocumented(f"{operation} has no {', '.join(values)}")
        return path + (f"?{urlencode(query)}" if query else ""), headers

    def content(self, operation, call, body):
        """The body in bytes and its content type."""
        described = call.get("requestBody")
        if body is None:
            if described and described["required"]:
                raise Undocumented(f"{operation} needs a body")
            return None, None
        if not described:
            raise Undocumented(f"{operation} has no body")
        (kind, media), = described["content"].items()
        readable = {name: words_of(value) for name, value in body.items()} if kind == FORM else body
        self.check(f"{operation}: body", closed(media["schema"]), readable)
        if kind == JSON:
            return json.dumps(body, ensure_ascii=False).encode(), JSON
        if kind != FORM:
            raise Undocumented(f"{operation} takes {kind}")
        fields, files = [], []
        for name, value in body.items():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, bytes):
                    files.append((name, "picture", one))
                else:
                    fields.append((name, one))
        return multipart(fields, files)

    # MARK: Answers

    def check_answer(self, operation, call, answer):
        where = f"{operation}: {answer.status}"
        described = call["responses"].get(str(answer.status))
        if described is None:
            raise Undocumented(f"{where} is not described: {answer.data}")
        if not answer.headers["X-Request-Id"]:
            raise Undocumented(f"{where} came without X-Request-Id")
        for name, header in described.get("headers", {}).items():
            if "$ref" in header:
                header = self.components["headers"][header["$ref"].rpartition("/")[2]]
            value = answer.headers[name]
            if header["schema"].get("type") == "integer" and value is not None:
                value = int(value)
            self.check(f"{where}: {name}", header["schema"], value)
        contents = described.get("content")
        if not contents:
            if answer.data is not None:
                raise Undocumented(f"{where} has a body: {answer.data}")
            return
        media = contents.get(answer.kind) or contents.get(f"{(answer.kind or '').split('/')[0]}/*")
        if media is None:
            raise Undocumented(f"{where} is {answer.kind}, not one of {list(contents)}")
        if answer.kind == JSON:
            self.check(where, closed(media["schema"]), answer.data)
        elif not answer.data:
            raise Undocumented(f"{where} is empty")
        # The description of an error's status names its codes.
        codes = re.findall(r"`(\w+)`", described["description"]) if answer.status >= 400 else None
        if codes is not None and answer.data["error"]["code"] not in codes:
            raise Undocumented(f"{where} is {answer.data['error']['code']}, not one of {codes}")

    def check(self, where, schema, value):
        # References point into the document's components.
        validator = Draft202012Validator(
            schema | {"components": self.components},
            format_checker=Draft202012Validator.FORMAT_CHECKER)
        errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
        if errors:
            raise Undocumented(f"{where}: {'; '.join(errors)}")


def closed(schema):
    """A schema whose objects have no additional fields."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(one) for name, one in schema.items()}
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema:
        inner["additionalProperties"] = False
    return inner


def words_of(value):
    """The part of a form that can be checked: files are any text."""
    if isinstance(value, list):
        return [words_of(one) for one in value]
    return "" if isinstance(value, bytes) else value
