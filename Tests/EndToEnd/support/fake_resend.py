"""Resend's HTTP API for sending mail, on loopback."""

import base64
import hashlib
import hmac
import http.server
import json
import threading
import time
import urllib.error
import urllib.request

SECRET = "whsec_" + base64.b64encode(b"the stand-in's own secret").decode()


class Resend:
    """Stores received mail; answers 200 unless `answers` has something else for the next call."""

    def __init__(self):
        self.calls = []
        self.answers = []
        self.mails = {}
        stand_in = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, answer = stand_in.take(self.path, self.headers, json.loads(body))
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        key = headers["Idempotency-Key"]
        self.calls.append((path, dict(headers), body))
        if self.answers:
            status, answer = self.answers.pop(0)
            return status, answer
        self.mails.setdefault(key, body)
        return 200, {"id": f"re_{key}"}

    def to(self, address):
        return [mail for mail in self.mails.values() if mail["to"] == [address]]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def call_webhook(site, event, secret=SECRET, age=0):
    """Sends an event to an instance, signed like Resend; returns the status."""
    body = json.dumps(event).encode()
    stamp = str(int(time.time()) - age)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, b"msg_1." + stamp.encode() + b"." + body, hashlib.sha256).digest()
    request = urllib.request.Request(
        f"{site.url}/webhooks/resend", body, {
            "Content-Type": "application/json", "svix-id": "msg_1", "svix-timestamp": stamp,
            "svix-signature": "v1," + base64.b64encode(mac).decode()})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
