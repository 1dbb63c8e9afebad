import FastCGI
import Foundation
import Glibc
import Testing

@Suite struct SocketTests {
  @Test("A second server on the same path is refused, and the first still answers")
  func secondServer() throws {
    let running = try RunningServer(RunningServer.echo)
    #expect(throws: FastCGIError.alreadyRunning(path: running.path)) {
      try FastCGIServer(socketPath: running.path, threads: 1)
    }
    let answer = try FastCGIClient(running.path).exchange([("REQUEST_METHOD", "GET")])
    #expect(answer.text.contains("GET"))
  }

  @Test("A socket left behind by a dead server is replaced")
  func staleSocket() throws {
    let path = "/tmp/fcgi-\(UUID().uuidString)"
    defer { for name in [path, path + ".lock"] { unlink(name) } }
    try leaveSocket(at: path)
    #expect(throws: FastCGIClient.ConnectionRefused.self) { try FastCGIClient(path) }
    let server = try FastCGIServer(socketPath: path, threads: 1)
    #expect(throws: Never.self) { try FastCGIClient(path) }
    withExtendedLifetime(server) {}
  }

  @Test("A file that isn't a socket is left alone")
  func ordinaryFile() throws {
    let path = "/tmp/fcgi-\(UUID().uuidString)"
    defer { for name in [path, path + ".lock"] { unlink(name) } }
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: FastCGIError.notASocket(path: path)) {
      try FastCGIServer(socketPath: path, threads: 1)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test("The socket may be used by its owner and group alone")
  func mode() throws {
    let running = try RunningServer(RunningServer.echo)
    var status = stat()
    #expect(lstat(running.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o660)
  }

  @Test("A path too long for a socket is refused with its name")
  func longPath() {
    let path = "/tmp/" + String(repeating: "x", count: 120)
    defer { unlink(path + ".lock") }
    #expect(throws: FastCGIError.pathTooLong(path: path)) {
      try FastCGIServer(socketPath: path, threads: 1)
    }
  }

  @Test("A folder that isn't there is an error, not the end of the process")
  func missingFolder() {
    #expect(throws: FastCGIError.self) {
      try FastCGIServer(socketPath: "/tmp/fcgi-\(UUID().uuidString)/s", threads: 1)
    }
  }

  /// Binds and closes without unlinking, as a killed server does.
  private func leaveSocket(at path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    try #require(result == 0)
    close(descriptor)
  }
}
