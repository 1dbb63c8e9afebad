import FastCGI
import Foundation

/// A server on its own socket in a temporary folder, stopped when the test releases it.
final class RunningServer {
  let path: String
  let server: FastCGIServer
  private let folder: URL
  private let ended = DispatchSemaphore(value: 0)

  init(threads: Int = 4, _ handler: @escaping @Sendable (FastCGIExchange) -> Void) throws {
    folder = URL(fileURLWithPath: "/tmp/fcgi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appendingPathComponent("s").path
    let server = try FastCGIServer(socketPath: path, threads: threads)
    self.server = server
    let ended = ended
    Thread.detachNewThread {
      server.run(handler)
      ended.signal()
    }
  }

  deinit {
    server.stop()
    ended.wait()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Whether `run` returned within this number of seconds.
  func hasEnded(within seconds: Double) -> Bool {
    let result = ended.wait(timeout: .now() + seconds) == .success
    if result { ended.signal() }
    return result
  }

  /// Answers with the method, a header, and the body.
  static let echo: @Sendable (FastCGIExchange) -> Void = { exchange in
    let method = exchange.parameter("REQUEST_METHOD") ?? "-"
    let host = exchange.parameter("HTTP_HOST") ?? "-"
    let body = (try? readAll(exchange)) ?? Array("broken".utf8)
    try? exchange.write(Array("Status: 200\r\n\r\n\(method) \(host) ".utf8) + body)
  }

  static func readAll(_ exchange: FastCGIExchange) throws -> [UInt8] {
    var body: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 10_000)
    while true {
      let count = try piece.withUnsafeMutableBytes { try exchange.read(into: $0) }
      if count == 0 { return body }
      body += piece[..<count]
    }
  }
}
