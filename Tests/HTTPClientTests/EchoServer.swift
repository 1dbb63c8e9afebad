import Foundation

/// An HTTP server on loopback that returns the request; it ends with the tests.
final class EchoServer: Sendable {
  struct Echo: Decodable {
    let method: String
    let path: String
    let headers: [String: String]
    /// In base64.
    let body: String
  }

  private struct Ports: Decodable {
    let plain: Int
    let secure: Int
  }

  struct Failed: Error {}

  private static let started = Result { try EchoServer() }

  static var shared: EchoServer { get throws { try started.get() } }

  let url: String
  let securePort: Int
  let certificate: String
  /// A Unix socket on which the same server answers.
  let socket: String
  private let process = Process()
  private let lifeline: FileHandle

  var secureURL: String { "https://127.0.0.1:\(securePort)" }

  private init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "echo-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    certificate = folder.appending(path: "certificate.pem").path
    socket = folder.appending(path: "echo.sock").path
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", Self.program, folder.path]
    let output = Pipe()
    let input = Pipe()
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
    let ports = try JSONDecoder().decode(Ports.self, from: line)
    url = "http://127.0.0.1:\(ports.plain)"
    securePort = ports.secure
  }

  private static let program = """
    import base64, http.server, json, os, shutil, socketserver, ssl, subprocess, sys, threading, time

    folder = sys.argv[1]
    key, certificate = folder + "/key.pem", folder + "/certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=echo",
         "-addext", "subjectAltName=IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            word = self.path.split("/")[1]
            if word.startswith("echo"):
                self.say(200, json.dumps({
                    "method": self.command, "path": self.path,
                    "headers": {n.lower(): v for n, v in self.headers.items()},
                    "body": base64.b64encode(body).decode()}).encode())
            elif word == "bytes":
                self.say(200, b"x" * int(self.path.split("/")[2]))
            elif word == "slow":
                time.sleep(3)
                self.say(200, b"")
            elif word == "cut":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b"x")
                self.close_connection = True
            elif word == "endless":
                self.send_response(200)
                self.send_header("Connection", "close")
                self.end_headers()
                while True:
                    self.wfile.write(b"x" * 500)
            elif word == "cached":
                self.say(200, b"", self.path.split("/")[2])
            else:
                self.say(int(word), b"")

        def say(self, status, body, caching=None):
            self.send_response(status)
            if caching:
                self.send_header("Cache-Control", caching)
            if status == 302:
                self.send_header("Location", "/echo")
            if status != 204:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = answer

        def log_message(self, *words):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *words):
            pass

    class Local(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
        daemon_threads = True

    local = Local(folder + "/echo.sock", Handler)
    plain, secure = Server(("127.0.0.1", 0), Handler), Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    for server in (plain, secure, local):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"plain": plain.server_port, "secure": secure.server_port}), flush=True)
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
    """
}
