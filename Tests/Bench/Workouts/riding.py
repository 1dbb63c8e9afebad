"""Shared by the measurements of workouts: generated workouts, and a client with a token."""

import http.client
import json
import random
import sys
import uuid
from datetime import datetime, timedelta, timezone

BATCH = "/api/v1/sessions/batch_upload"


def samples(chance, seconds):
    """An hour of samples from a machine and a belt."""
    power, heart, way = 150.0, 120.0, 0.0
    rows = dict(interval=1, power=[], heart_rate=[], cadence=[], speed=[], distance=[])
    for _ in range(seconds):
        power = min(max(power + chance.gauss(0, 6), 60), 320)
        heart += (95 + power / 4 - heart) / 60 + chance.gauss(0, 0.2)
        speed = 12 + power / 9
        way += speed / 3.6
        rows["power"].append(round(power))
        rows["heart_rate"].append(round(heart))
        rows["cadence"].append(round(75 + power / 20 * 2) / 2)
        rows["speed"].append(round(speed, 1))
        rows["distance"].append(round(way, 1))
    return rows


def session(chance, number, seconds, detail=None):
    start = datetime.now(timezone.utc) - timedelta(hours=2 * (number + 2))
    one = dict(
        client_session_id=str(uuid.UUID(int=chance.getrandbits(128), version=4)),
        started_at=start.isoformat(timespec="milliseconds"),
        ended_at=(start + timedelta(seconds=seconds)).isoformat(timespec="milliseconds"),
        duration=seconds, total_energy=420.5, total_distance=28_400, device_type="bike")
    if detail:
        one["detail"] = dict(avg_hr=131, max_hr=158, avg_power=152, max_power=310,
                             samples=detail)
    return one


def batches(count, seconds):
    """Bodies of twenty workouts with unique ids; samples of `seconds`, 0 for none."""
    chance = random.Random(20261121)
    details = [samples(chance, seconds) if seconds else None for _ in range(20)]
    made = []
    for number in range(count):
        sessions = [session(chance, 20 * number + place, seconds or 3600, detail)
                    for place, detail in enumerate(details)]
        made.append(json.dumps(dict(sessions=sessions), separators=(",", ":")).encode())
    return made


class Caller:
    """A client with a token, with a connection per call like most clients of nginx."""

    def __init__(self, port, token, host):
        self.port, self.token, self.host = port, token, host

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {"Host": self.host, "Authorization": f"Bearer {self.token}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data


def sign_in(site, email="sam@example.test"):
    """Signs a member of the demonstration in with the API."""
    body = json.dumps(dict(
        email=email, password=(site.data / "secrets/demo").read_text().strip())).encode()
    status, answer = Caller(site.port, "", site.host).call("POST", "/api/v1/auth/login", body)
    if status != 200:
        sys.exit(f"not signed in: {status} {answer}")
    return Caller(site.port, json.loads(answer)["access_token"], site.host)
