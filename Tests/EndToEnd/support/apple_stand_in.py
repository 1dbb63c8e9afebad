"""A stand-in for Apple with its peculiarities: a form posted by the browser, the name only at the
first sign-in, client secrets that are signed tokens, booleans as text, relay addresses, notices."""

import base64
import html
import http.server
import json
import secrets
import threading
import time
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

CLIENT, TEAM, KEY = "test.example.web", "TEAM123456", "KEY1234567"
ADDRESS = "x7k2@privaterelay.appleid.example"

PAGE = """<!doctype html><title>Apple</title>
<form method="post" action="{address}">{fields}<button>Continue</button></form>
<form method="post" action="{address}">
<input type="hidden" name="state" value="{state}">
<input type="hidden" name="error" value="user_cancelled_authorize"><button>Cancel</button></form>"""


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class AppleStandIn:
    """At `localhost`, another site than 127.0.0.1."""

    def __init__(self, folder, port):
        self.url = f"http://localhost:{port}"
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        team = ec.generate_private_key(ec.SECP256R1())
        self.team = team.public_key()
        self.key_file = folder / "apple.p8"
        self.key_file.write_bytes(team.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
        self.codes = {}
        self.has_told_name = False
        stand_in = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path, _, query = self.path.partition("?")
                self.answer(*stand_in.get(path, dict(urllib.parse.parse_qsl(query))))

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer(*stand_in.token(dict(urllib.parse.parse_qsl(body))))

            def answer(self, status, body):
                kind = "text/html" if isinstance(body, str) else "application/json"
                text = body if isinstance(body, str) else json.dumps(body)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def settings(self):
        return {
            "PAIRSPOT_OIDC_PROVIDERS": "apple", "PAIRSPOT_OIDC_APPLE_ISSUER": self.url,
            "PAIRSPOT_OIDC_APPLE_CLIENT_ID": CLIENT, "PAIRSPOT_OIDC_APPLE_TEAM_ID": TEAM,
            "PAIRSPOT_OIDC_APPLE_KEY_ID": KEY, "PAIRSPOT_OIDC_APPLE_KEY_FILE": str(self.key_file),
            "PAIRSPOT_OIDC_APPLE_PRIVATE_NETWORK": "1"}

    def get(self, path, query):
        if path == "/.well-known/openid-configuration":
            return 200, {
                "issuer": self.url, "authorization_endpoint": f"{self.url}/auth/authorize",
                "token_endpoint": f"{self.url}/auth/token", "jwks_uri": f"{self.url}/auth/keys",
                "response_types_supported": ["code"],
                "response_modes_supported": ["query", "fragment", "form_post"],
                "subject_types_supported": ["pairwise"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "token_endpoint_auth_methods_supported": ["client_secret_post"]}
        if path == "/auth/keys":
            numbers = self.key.public_key().public_numbers()
            return 200, {"keys": [{
                "kty": "RSA", "kid": "A1", "use": "sig", "alg": "RS256",
                "n": encode(numbers.n.to_bytes(256, "big")), "e": "AQAB"}]}
        if path == "/auth/authorize":
            return self.authorize(query)
        return 404, {}

    def authorize(self, query):
        # Apple gives name and address only to a form.
        if query["client_id"] != CLIENT or query["response_mode"] != "form_post":
            return 400, {"error": "invalid_request"}
        code = secrets.token_urlsafe()
        self.codes[code] = query
        fields = {"state": query["state"], "code": code}
        if not self.has_told_name:
            self.has_told_name = True
            fields["user"] = json.dumps(
                {"name": {"firstName": "Nia", "lastName": "Lin"}, "email": ADDRESS})
        inputs = "".join(
            f'<input type="hidden" name="{name}" value="{html.escape(value)}">'
            for name, value in fields.items())
        return 200, PAGE.format(
            address=html.escape(query["redirect_uri"]), fields=inputs,
            state=html.escape(query["state"]))

    def token(self, form):
        query = self.codes.pop(form.get("code"), None)
        if not self.is_client(form):
            return 400, {"error": "invalid_client"}
        if query is None or form["redirect_uri"] != query["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": CLIENT, "sub": "001.nia", "nonce": query["nonce"],
            "nonce_supported": True, "iat": now, "exp": now + 86400, "auth_time": now,
            "email": ADDRESS, "email_verified": "true", "is_private_email": "true"}
        return 200, {
            "access_token": "a", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r",
            "id_token": self.sign(claims)}

    def is_client(self, form):
        """Whether the secret is a token that the team signed."""
        head, claims, signature = form["client_secret"].split(".")
        half = decode(signature)
        self.team.verify(
            utils.encode_dss_signature(
                int.from_bytes(half[:32], "big"), int.from_bytes(half[32:], "big")),
            f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        head, claims = json.loads(decode(head)), json.loads(decode(claims))
        now = time.time()
        return (
            form["client_id"] == CLIENT and (head["alg"], head["kid"]) == ("ES256", KEY)
            and (claims["iss"], claims["sub"], claims["aud"]) == (TEAM, CLIENT, self.url)
            and now - 60 < claims["iat"] < claims["exp"] < now + 180 * 86400)

    def sign(self, claims):
        head = encode(json.dumps({"alg": "RS256", "kid": "A1"}).encode())
        text = f"{head}.{encode(json.dumps(claims).encode())}"
        signature = self.key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{text}.{encode(signature)}"

    def notify(self, site, event):
        """Sends a notice about the account; returns the status of the answer."""
        now = int(time.time())
        events = {"type": event, "sub": "001.nia", "email": ADDRESS, "event_time": now * 1000}
        payload = self.sign({
            "iss": self.url, "aud": CLIENT, "iat": now, "jti": secrets.token_urlsafe(),
            "events": json.dumps(events)})
        call = urllib.request.Request(
            f"{site.url}/sign-in/with/apple/notices",
            json.dumps({"payload": payload}).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(call, timeout=10) as answer:
            return answer.status
