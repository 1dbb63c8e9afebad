/// One request and its response, valid on the thread of its handler while the handler runs.
public final class FastCGIExchange {
  private let channel: any ExchangeChannel
  private var bodyLeft: Int?

  init(_ channel: any ExchangeChannel) {
    self.channel = channel
    bodyLeft = channel.parameter("CONTENT_LENGTH").flatMap { Int($0) }.map { max(0, $0) }
    if bodyLeft == nil && !channel.bodyHasAnEnd { bodyLeft = 0 }
  }

  /// The value of a CGI variable such as `REQUEST_METHOD` or `HTTP_HOST` (RFC 3875, section 4.1).
  public func parameter(_ name: String) -> String? {
    channel.parameter(name)
  }

  /// Calls `body` with the name and value of each CGI variable.
  public func forEachParameter(_ body: (_ name: String, _ value: String) -> Void) {
    channel.forEachParameter(body)
  }

  /// Reads the next bytes of the request's body, at most `buffer.count`; 0 is its end.
  ///
  /// Never reads past `CONTENT_LENGTH` (RFC 3875, section 4.2). Throws `FastCGIError.clientGone` if
  /// the body ends before that, `.timedOut` and `.malformed`.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let wanted = min(buffer.count, bodyLeft ?? buffer.count)
    guard wanted > 0 else { return 0 }
    let count = try channel.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
    if let left = bodyLeft {
      guard count > 0 else { throw FastCGIError.clientGone }
      bodyLeft = left - count
    }
    return count
  }

  /// Sends bytes of the response: first the CGI header (`Status: 200\r\n…\r\n\r\n`), then the body.
  ///
  /// Throws `FastCGIError.clientGone` if the client has disconnected.
  public func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard !bytes.isEmpty else { return }
    try channel.write(bytes)
  }

  /// Sends a whole response, the CGI header and the body, in as few pieces as possible. Throws the
  /// errors of `write(_:)`.
  public func write(_ head: [UInt8], _ body: [UInt8]) throws {
    try head.withUnsafeBytes { head in
      try body.withUnsafeBytes { try channel.write(head, $0) }
    }
  }

  /// Sends bytes of the response; see `write(_:)` with a buffer.
  public func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { try write($0) }
  }
}

/// The channel of an exchange: a FastCGI connection, or a process's own standard streams.
protocol ExchangeChannel: AnyObject {
  /// Whether the end of the body is detectable without a `CONTENT_LENGTH`.
  var bodyHasAnEnd: Bool { get }
  func parameter(_ name: String) -> String?
  func forEachParameter(_ body: (String, String) -> Void)
  /// Reads at least one byte, or 0 at the end; `buffer` is not empty.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  func write(_ bytes: UnsafeRawBufferPointer) throws
  /// Sends a whole response; either part may be empty.
  func write(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) throws
}

extension ExchangeChannel {
  func write(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) throws {
    try write(head)
    try write(body)
  }
}

/// Splits a `NAME=value` line of an environment.
func splitVariable(_ line: UnsafePointer<CChar>) -> (name: String, value: String)? {
  var length = 0
  while line[length] != 0 && line[length] != 0x3d { length += 1 }
  guard line[length] != 0 else { return nil }
  let name = UnsafeRawBufferPointer(start: line, count: length)
  return (String(decoding: name, as: UTF8.self), String(cString: line + length + 1))
}
