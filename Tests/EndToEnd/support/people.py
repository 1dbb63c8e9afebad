"""A visitor with plain HTTP requests, without a browser."""

import html
import http.client
import re
import secrets
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from urllib.parse import urlencode


class Answer:
    def __init__(self, answer):
        self.status = answer.status
        self.headers = answer.headers
        self.body = answer.read()

    @property
    def text(self):
        return self.body.decode()

    @property
    def location(self):
        return self.headers["Location"]

    @property
    def made(self):
        """The path of what was made, to which the message of the next page links."""
        for cookie in self.all("Set-Cookie"):
            found = re.match("toast[^=]*=[^;]*~(/[^;]+)", cookie)
            if found:
                return found[1]
        return self.location

    def all(self, name):
        return self.headers.get_all(name) or []

    @property
    def forms(self):
        reader = Forms()
        reader.feed(self.text)
        return reader.forms

    def form(self, action):
        """The fields of the first form for a path."""
        return next(fields for to, fields in self.forms if to == action)


class Forms(HTMLParser):
    """Parses the fields of a page's forms."""

    def __init__(self):
        super().__init__()
        self.forms = []
        self.area = None

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form":
            self.forms.append((given.get("action"), {}))
        elif tag == "input" and self.forms and given.get("name"):
            kind = given.get("type", "text")
            if kind in ("checkbox", "radio", "file") and "checked" not in given:
                return
            self.forms[-1][1][given["name"]] = given.get("value", "")
        elif tag == "textarea" and self.forms:
            self.area = given.get("name")
            self.forms[-1][1][self.area] = ""

    def handle_data(self, data):
        if self.area:
            self.forms[-1][1][self.area] += data

    def handle_endtag(self, tag):
        if tag == "textarea" and self.area:
            # A line break right after the tag isn't part of the text.
            fields = self.forms[-1][1]
            fields[self.area] = fields[self.area].removeprefix("\n")
            self.area = None


class Visitor:
    def __init__(self, site, language="en"):
        self.site = site
        self.language = language
        self.cookies = SimpleCookie()

    def get(self, path, **headers):
        return self.ask("GET", path, None, headers)

    def post(self, path, fields, files=(), **headers):
        """Sends a form; with files ((name, file name, bytes) each) as multipart/form-data."""
        if files:
            body, kind = multipart(fields, files)
        else:
            body, kind = urlencode(fields).encode(), "application/x-www-form-urlencoded"
        origin = {"Origin": self.site.url, "Sec-Fetch-Site": "same-origin", "Content-Type": kind}
        return self.ask("POST", path, body, origin | headers)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=60)

    def ask(self, method, path, body, headers):
        connection = self.connect()
        cookies = "; ".join(f"{name}={value.value}" for name, value in self.cookies.items())
        own = {"Host": self.site.host, "Accept-Language": self.language}
        if cookies:
            own["Cookie"] = cookies
        try:
            connection.request(method, path, body, own | headers)
            answer = Answer(connection.getresponse())
        finally:
            connection.close()
        for line in answer.all("Set-Cookie"):
            for name, value in SimpleCookie(line).items():
                if value["max-age"] == "0":
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = value.value
        return answer

    def token(self, path="/"):
        found = re.search(r'name="csrf_token" value="([^"]+)"', self.get(path).text)
        return html.unescape(found[1])

    def sign_in(self, address, password=None):
        fields = {
            "csrf_token": self.token("/sign-in"), "email": address,
            "password": password or self.site.demo_password(), "next": "/",
        }
        answer = self.post("/sign-in", fields)
        assert answer.status == 303, answer.text
        return self

    def read_in(self, language):
        fields = {"csrf_token": self.token(), "language": language, "next": "/"}
        assert self.post("/language", fields).status == 303

    def composer(self):
        return self.get("/").form("/posts")

    def write(self, words, visibility="public", files=(), fields=None):
        """Sends the composer form."""
        fields = (fields or self.composer()) | {"content": words, "visibility": visibility}
        return self.post("/posts", fields, [("images", *file) for file in files] or [EMPTY])


# A browser's value of a file field without a file.
EMPTY = ("images", "", b"")


def multipart(fields, files):
    boundary = secrets.token_hex(16)
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in (fields.items() if isinstance(fields, dict) else fields)
    ]
    for name, file, content in files:
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n")
        parts.append(head.encode() + content + b"\r\n")
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def picture_addresses(page):
    """The URLs of all pictures on a page, in order."""
    found = re.findall(r'(?:src|srcset|href)="(/media/[^"]+)"', page)
    return list(dict.fromkeys(html.unescape(address) for address in found))
