import Dispatch
import Foundation
import Glibc
import Logging
import Web

/// Reads nginx's messages and writes them to PairSpot's own log, as JSON lines without the details
/// of requests (`NginxLine`). nginx itself can't leave those out.
final class NginxLog: Sendable {
  /// The limit of a line that never ends, in bytes; nginx ends its own after 2 KiB.
  private static let maximumLineLength = 16 << 10

  /// nginx's output. If it is not read for a while, nginx continues and the messages are lost: a
  /// log must not block requests.
  let input: Int32
  private let isOver = DispatchSemaphore(value: 0)

  /// Writes to a file in development, to standard output in production. Throws `Serve.Failure`.
  convenience init(_ configuration: Configuration) throws {
    let file = configuration.logFile("nginx")
    let descriptor = file.map { open($0, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600) }
    if let file, descriptor == -1 {
      throw Serve.Failure("\(file): \(String(cString: strerror(errno)))")
    }
    let clock = configuration.clock
    try self.init(
      Logger(label: "nginx") { _ in
        JSONLineLog(descriptor: descriptor ?? STDOUT_FILENO, clock: clock)
      })
  }

  init(_ logger: Logger) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw Serve.Failure(
        "cannot create a pipe for nginx's log: \(String(cString: strerror(errno)))")
    }
    let output = ends[0]
    input = ends[1]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(input, F_SETFL, O_WRONLY | O_NONBLOCK)
    let isOver = isOver
    Thread.detachNewThread {
      Self.copy(output, to: logger)
      close(output)
      isOver.signal()
    }
  }

  /// Writes the rest, once nginx has ended.
  func end() {
    close(input)
    // A process that nginx left behind may hold the other end.
    _ = isOver.wait(timeout: .now() + 1)
  }

  private static func copy(_ output: Int32, to logger: Logger) {
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(output, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      pending += buffer[..<count]
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        if let line = NginxLine(String(decoding: pending[..<end], as: UTF8.self)) {
          logger.log(level: line.level, "\(line.message)", metadata: ["program": "nginx"])
        }
        pending.removeFirst(end + 1)
      }
      if pending.count > maximumLineLength { pending = [] }
    }
  }
}
