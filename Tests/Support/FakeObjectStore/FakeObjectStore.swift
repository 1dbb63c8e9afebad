import Foundation
import HTTPClient

/// A small S3 store on loopback, in Python, that checks every signature as the public algorithm says.
/// It ends with its object.
public final class FakeObjectStore {
  struct Failed: Error {}

  public static let bucket = "media"
  public static let region = "here-1"
  public static let accessKey = "KEY"
  public static let secretKey = "secret/key+1"
  public let url: String
  private let process = Process()
  private let lifeline: FileHandle

  /// The settings of an instance that uses it.
  public var variables: [String: String] {
    [
      "PAIRSPOT_MEDIA": "s3", "PAIRSPOT_S3_ENDPOINT": url, "PAIRSPOT_S3_BUCKET": Self.bucket,
      "PAIRSPOT_S3_REGION": Self.region, "PAIRSPOT_S3_ACCESS_KEY": Self.accessKey,
      "PAIRSPOT_S3_SECRET_KEY": Self.secretKey, "PAIRSPOT_S3_PATH_STYLE": "1",
    ]
  }

  public init() throws {
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", Self.program]
    let (output, input) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardInput = input
    lifeline = input.fileHandleForWriting
    try process.run()
    var line = Data()
    while !line.contains(0x0A) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Failed() }
      line += more
    }
    let port = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    url = "http://127.0.0.1:\(port)"
  }

  deinit { stop() }

  /// Ends it, so that nothing answers any more.
  public func stop() {
    try? lifeline.close()
    process.waitUntilExit()
  }

  /// Has the next requests fail, one each: a status with an error's code, such as "503 SlowDown";
  /// "silence" for no answer, "slow" for a late one, "copy" for an error with the status 200, and ""
  /// for none.
  public func fail(_ faults: [String]) throws {
    let body = try JSONEncoder().encode(faults)
    let answer = try HTTPClient().send(HTTPCall("POST", "\(url)/faults", body: Array(body)))
    guard answer.status == 200 else { throw Failed() }
  }

  /// Method and path of each request since the last call.
  public func requests() throws -> [String] {
    let answer = try HTTPClient().send(HTTPCall("GET", "\(url)/requests"))
    return try JSONDecoder().decode([String].self, from: Data(answer.body))
  }

  /// The uploads in parts that were neither completed nor given up.
  public func uploads() throws -> [String] {
    let answer = try HTTPClient().send(HTTPCall("GET", "\(url)/uploads"))
    return try JSONDecoder().decode([String].self, from: Data(answer.body))
  }

  private static let program = """
    import hashlib, hmac, http.server, json, os, re, sys, threading, time, urllib.parse

    files, faults, requests, uploads = {}, [], [], {}

    def sign(text, day, region):
        key = b"AWS4secret/key+1"
        for part in (day, region, "s3", "aws4_request", text):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return key.hex()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def signature(self, path, query, body):
            headers = {name.lower(): value for name, value in self.headers.items()}
            if "X-Amz-Signature=" in query:
                query, _, given = query.partition("&X-Amz-Signature=")
                values = dict(urllib.parse.parse_qsl(query))
                when, names, hashed = values["X-Amz-Date"], "host", "UNSIGNED-PAYLOAD"
            else:
                scheme, _, rest = headers.get("authorization", "").partition(" ")
                values = dict(part.strip().split("=", 1) for part in rest.split(","))
                given, names = values["Signature"], values["SignedHeaders"]
                when, hashed = headers["x-amz-date"], headers["x-amz-content-sha256"]
                if hashed != hashlib.sha256(body).hexdigest():
                    return False
            lines = "".join(f"{name}:{headers[name]}\\n" for name in names.split(";"))
            text = "\\n".join([self.command, path, query, lines, names, hashed])
            day = when[:8]
            to_sign = "\\n".join(["AWS4-HMAC-SHA256", when, f"{day}/here-1/s3/aws4_request",
                                 hashlib.sha256(text.encode()).hexdigest()])
            return hmac.compare_digest(sign(to_sign, day, "here-1"), given)

        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path, _, query = self.path.partition("?")
            if path == "/faults":
                faults[:] = json.loads(body)
                return self.say(200)
            if path == "/uploads":
                return self.say(200, json.dumps(sorted(uploads)).encode())
            if path == "/requests":
                taken = json.dumps(requests).encode()
                requests.clear()
                return self.say(200, taken)
            requests.append(f"{self.command} {path}")
            fault = faults.pop(0) if faults else ""
            if fault == "silence":
                self.close_connection = True
                return
            if fault == "slow":
                time.sleep(1.5)
            elif fault == "copy":
                return self.fail(200, "InternalError")
            elif fault:
                status, code = fault.split(" ")
                return self.fail(int(status), code)
            try:
                if not self.signature(path, query, body):
                    return self.fail(403, "SignatureDoesNotMatch")
            except (KeyError, ValueError):
                return self.fail(403, "AccessDenied")
            if path == "/media":
                return self.list(urllib.parse.parse_qs(query))
            key = path.removeprefix("/media/")
            source = self.headers.get("x-amz-copy-source", "").removeprefix("/media/")
            values = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
            upload = uploads.get(values.get("uploadId"))
            if "uploads" in values:
                name = f"upload/{len(requests)}+"
                uploads[name] = {}
                self.say(200, f"<InitiateMultipartUploadResult><UploadId>{name}</UploadId>"
                              "</InitiateMultipartUploadResult>".encode())
            elif "uploadId" in values and upload is None:
                self.fail(404, "NoSuchUpload")
            elif self.command == "PUT" and "uploadId" in values:
                tag = hashlib.md5(body).hexdigest()
                upload[values["partNumber"]] = (tag, body)
                self.say(200, b"", [("ETag", f'"{tag}"')])
            elif self.command == "POST":
                parts = re.findall('<PartNumber>(.*?)</PartNumber><ETag>"(.*?)"</ETag>',
                                   body.decode())
                if any(upload[number][0] != tag for number, tag in parts):
                    return self.fail(400, "InvalidPart")
                files[key] = b"".join(upload[number][1] for number, _ in parts)
                del uploads[values["uploadId"]]
                self.say(200, b"<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
            elif self.command == "DELETE" and "uploadId" in values:
                del uploads[values["uploadId"]]
                self.say(204)
            elif self.command == "PUT" and source:
                if source not in files:
                    return self.fail(404, "NoSuchKey")
                files[key] = files[source]
                self.say(200, b"<CopyObjectResult></CopyObjectResult>")
            elif self.command == "PUT":
                files[key] = body
                self.say(200)
            elif self.command == "DELETE":
                files.pop(key, None)
                self.say(204)
            elif key in files and "Range" in self.headers:
                first, last = self.headers["Range"].removeprefix("bytes=").split("-")
                self.say(206, files[key][int(first):int(last) + 1])
            elif key in files:
                self.say(200, files[key])
            else:
                self.fail(404, "NoSuchKey")

        def list(self, query):
            prefix, after = query["prefix"][0], query.get("start-after", [""])[0]
            keys = sorted(key for key in files if key.startswith(prefix) and key > after)
            entries = "".join(
                f"<Contents><Key>{key}</Key><LastModified>2026-03-02T00:00:00.000Z</LastModified>"
                f"<Size>{len(files[key])}</Size></Contents>" for key in keys[:3])
            more = "true" if len(keys) > 3 else "false"
            self.say(200, ('<?xml version="1.0"?><ListBucketResult xmlns="http://s3/">'
                           f"<IsTruncated>{more}</IsTruncated>{entries}"
                           "</ListBucketResult>").encode())

        def fail(self, status, code):
            self.say(status, f"<Error><Code>{code}</Code></Error>".encode())

        def say(self, status, body=b"", headers=()):
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    os._exit(0)
    """
}
