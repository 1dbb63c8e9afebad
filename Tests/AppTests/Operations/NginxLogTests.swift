import Core
import Foundation
import Glibc
import Logging
import Testing
import Web

@testable import App

@Suite("Messages of nginx, without clients and requests")
struct NginxLogTests {
  private static let context = """
    , client: 203.0.113.7, server: _, request: "GET /verify?token=s3cret HTTP/1.1", upstream: \
    "fastcgi://unix:/var/run/handlers-0.sock:", host: "pairspot.example", referrer: \
    "https://pairspot.example/c/s3cret"
    """

  private static let lines: [(String, Logger.Level, String)] = [
    (
      "2026/03/02 08:00:00 [error] 12#12: *5 connect() to unix:/var/run/handlers-0.sock failed "
        + "(111: Connection refused) while connecting to upstream" + context, .error,
      "connect() to unix:/var/run/handlers-0.sock failed (111: Connection refused) while "
        + "connecting to upstream"
    ),
    (
      "2026/03/02 08:00:00 [warn] 12#12: *5 a client request body is buffered to a temporary file "
        + "/var/run/nginx-body/0000000001" + context, .warning,
      "a client request body is buffered to a temporary file /var/run/nginx-body/0000000001"
    ),
    (
      "2026/03/02 08:00:00 [crit] 12#12: *5 open() \"/public/css/s3cret\" failed (36: File name "
        + "too long)" + context, .critical, "open() … failed (36: File name too long)"
    ),
    // A request for a file name that looks like a log message of nginx.
    (
      "2026/03/02 08:00:00 [error] 12#12: *5 open() \"/public/css/a\" failed (20: s3cret), client: "
        + "s3cret\" failed (20: Not a directory)" + context, .error,
      "open() … failed (20: Not a directory)"
    ),
    (
      "2026/03/02 08:00:00 [error] 12#12: *5 FastCGI sent in stderr: \"mei@example.test s3cret\" "
        + "while reading" + context, .error, "FastCGI sent in stderr: …"
    ),
    // Messages without a request are kept completely for the operator.
    (
      "2026/03/02 08:00:00 [alert] 12#12: worker process 14 exited on signal 9", .critical,
      "worker process 14 exited on signal 9"
    ),
    (
      "nginx: [emerg] unknown directive \"worker\" in /var/run/nginx.conf:12", .critical,
      "unknown directive \"worker\" in /var/run/nginx.conf:12"
    ),
    (
      "setpriv: failed to execute /usr/sbin/nginx: Permission denied", .error,
      "setpriv: failed to execute /usr/sbin/nginx: Permission denied"
    ),
  ]

  @Test("A request's log line has the error, without the request itself", arguments: lines)
  func line(_ line: String, _ level: Logger.Level, _ message: String) throws {
    let read = try #require(NginxLine(line))
    #expect(read.message == message && read.level == level)
  }

  @Test(
    "Text that is no log line of nginx is skipped: a URL may break one",
    arguments: ["s3cret\" failed (2: No such file)" + context, "", "GET /c/s3cret [error] x", "["])
  func noLine(_ line: String) {
    #expect(NginxLine(line) == nil)
  }

  @Test("It writes lines of JSON, and all of them before it ends")
  func writing() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID())").path
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer {
      close(descriptor)
      unlink(path)
    }
    let log = try NginxLog(
      Logger(label: "test") { _ in
        JSONLineLog(descriptor: descriptor, clock: ManualClock(TestInstance.start))
      })
    let first = Array(
      "2026/03/02 08:00:00 [error] 1#1: *5 upstream timed out, client: ::1\n2026".utf8)
    let rest = Array("/03/02 08:00:01 [alert] 1#1: worker process 2 exited\n".utf8)
    for bytes in [first, rest] {
      #expect(Glibc.write(log.input, bytes, bytes.count) == bytes.count)
    }
    log.end()
    let written = try String(contentsOfFile: path, encoding: .utf8)
    let start = TestInstance.start.milliseconds
    #expect(
      written == """
        {"at":\(start),"level":"error","message":"upstream timed out","program":"nginx"}
        {"at":\(start),"level":"critical","message":"worker process 2 exited","program":"nginx"}

        """)
  }
}
