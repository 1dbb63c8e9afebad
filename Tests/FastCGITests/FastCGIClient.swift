import Glibc

/// A FastCGI client written from the specification, over one Unix socket connection.
final class FastCGIClient: Sendable {
  let descriptor: Int32

  struct Answer {
    var output: [UInt8] = []
    /// Whether an end record with status "request complete" was received.
    var isComplete = false

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  struct ConnectionRefused: Error { let code: Int32 }

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let code = errno
      // `deinit` closes the descriptor, here too: closing twice could close another one.
      throw ConnectionRefused(code: code)
    }
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(descriptor)
  }

  static func record(_ type: UInt8, id: UInt16 = 1, _ content: [UInt8], padding: Int = 0) -> [UInt8]
  {
    let length = content.count
    return [
      1, type, UInt8(id >> 8), UInt8(id & 255), UInt8(length >> 8), UInt8(length & 255),
      UInt8(padding), 0,
    ] + content + [UInt8](repeating: 0, count: padding)
  }

  static func pair(_ name: String, _ value: String) -> [UInt8] {
    length(name.utf8.count) + length(value.utf8.count) + Array(name.utf8) + Array(value.utf8)
  }

  static func length(_ count: Int) -> [UInt8] {
    guard count > 127 else { return [UInt8(count)] }
    return [UInt8(count >> 24 & 0x7f | 0x80)] + [16, 8, 0].map { UInt8(count >> $0 & 255) }
  }

  static let begin = record(1, [0, 1, 0, 0, 0, 0, 0, 0])

  static func opening(_ parameters: [(String, String)]) -> [UInt8] {
    let pairs = parameters.flatMap { pair($0.0, $0.1) }
    let pieces = stride(from: 0, to: pairs.count, by: 60_000).flatMap { start in
      record(4, Array(pairs[start..<min(start + 60_000, pairs.count)]), padding: 3)
    }
    return begin + pieces + record(4, [])
  }

  /// Sends bytes; false if the server has closed the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var position = 0
    while position < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress.map { $0 + position }, bytes.count - position,
          Int32(truncatingIfNeeded: MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      position += count
    }
    return true
  }

  /// Reads the answer until its end or until the server closes, with a pause before each record
  /// (µs).
  func receive(pause: UInt32 = 0) -> Answer {
    var answer = Answer()
    while let header = read(8) {
      if pause > 0 { usleep(pause) }
      guard let content = read(Int(header[4]) << 8 | Int(header[5])), read(Int(header[6])) != nil
      else { break }
      if header[1] == 6 { answer.output += content }
      if header[1] == 3 {
        answer.isComplete = content[4] == 0
        break
      }
    }
    return answer
  }

  /// A whole request and its answer, read with pauses (µs).
  func exchange(
    _ parameters: [(String, String)], body: [UInt8] = [], pause: UInt32 = 0
  ) -> Answer {
    var bytes = Self.opening(parameters)
    for start in stride(from: 0, to: body.count, by: 32_768) {
      bytes += Self.record(5, Array(body[start..<min(start + 32_768, body.count)]))
    }
    send(bytes + Self.record(5, []))
    return receive(pause: pause)
  }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < count {
      let got = recv(descriptor, &piece, min(piece.count, count - bytes.count), 0)
      guard got > 0 else { return nil }
      bytes += piece[..<got]
    }
    return bytes
  }
}
