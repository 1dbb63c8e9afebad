"""A store that speaks S3 on loopback: moto's, with faults in front of it."""

import threading
import time

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

BUCKET = "media"


class ObjectStore:
    """`fault` is the status and the code of an error for each request, like ("503 Slow Down",
    "SlowDown"); `delay` the seconds before each answer."""

    def __init__(self):
        self.fault = None
        self.delay = 0
        self.moto = DomainDispatcherApplication(create_backend_app)
        self.server = make_server("127.0.0.1", 0, self.answer, threaded=True)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.client = boto3.client(
            "s3", endpoint_url=self.url, region_name="us-east-1", aws_access_key_id="KEY",
            aws_secret_access_key="secret")
        self.client.create_bucket(Bucket=BUCKET)
        # The stores of a process share their objects.
        while names := self.names():
            for name in names:
                self.delete(name)

    def answer(self, environ, start):
        time.sleep(self.delay)
        if self.fault:
            status, code = self.fault
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start(status, [("Content-Type", "application/xml"), ("Set-Cookie", "store=1"),
                           ("X-Accel-Redirect", "/errors/404.html")])
            return [f"<Error><Code>{code}</Code><BucketName>{BUCKET}</BucketName></Error>".encode()]
        return self.moto(environ, start)

    @property
    def variables(self):
        return {
            "PAIRSPOT_MEDIA": "s3", "PAIRSPOT_S3_ENDPOINT": self.url,
            "PAIRSPOT_S3_BUCKET": BUCKET, "PAIRSPOT_S3_REGION": "us-east-1",
            "PAIRSPOT_S3_ACCESS_KEY": "KEY", "PAIRSPOT_S3_SECRET_KEY": "secret",
            "PAIRSPOT_S3_PATH_STYLE": "1",
        }

    def names(self, prefix=""):
        found = self.client.list_objects_v2(Bucket=BUCKET, Prefix=prefix)
        return {entry["Key"] for entry in found.get("Contents", [])}

    def read(self, name):
        return self.client.get_object(Bucket=BUCKET, Key=name)["Body"].read()

    def delete(self, name):
        self.client.delete_object(Bucket=BUCKET, Key=name)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
