import Glibc

/// Plain CGI: the web server runs one process a request (RFC 3875), which libfcgi doesn't support.
public enum PlainCGI {
  /// Whether a web server started this process as a plain CGI.
  public static var isPlainCGI: Bool {
    getenv("GATEWAY_INTERFACE") != nil && getenv("REQUEST_METHOD") != nil
  }

  /// Answers the one request of this process from its environment and standard streams.
  public static func run(_ handler: (FastCGIExchange) -> Void) {
    signal(SIGPIPE, SIG_IGN)
    let channel = PlainChannel(input: STDIN_FILENO, output: STDOUT_FILENO)
    handler(FastCGIExchange(channel))
    try? channel.flush()
  }
}

/// An exchange over the environment and two descriptors.
final class PlainChannel: ExchangeChannel {
  private static let bufferSize = 16 * 1024

  private let input: Int32
  private let output: Int32
  private var pending: [UInt8] = []

  init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
    pending.reserveCapacity(Self.bufferSize)
  }

  /// Standard input may stay open for ever after the body.
  var bodyHasAnEnd: Bool { false }

  func parameter(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  func forEachParameter(_ body: (String, String) -> Void) {
    var line = environ
    while let text = line.pointee {
      if let variable = splitVariable(text) { body(variable.name, variable.value) }
      line += 1
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = retryingOnInterrupt { Glibc.read(input, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw FastCGIError.clientGone }
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    pending.append(contentsOf: bytes)
    if pending.count >= Self.bufferSize { try flush() }
  }

  /// Sends the bytes written so far.
  func flush() throws {
    defer { pending.removeAll(keepingCapacity: true) }
    var position = 0
    while position < pending.count {
      let count = pending.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
        return retryingOnInterrupt { Glibc.write(output, rest.baseAddress, rest.count) }
      }
      guard count > 0 else { throw FastCGIError.clientGone }
      position += count
    }
  }
}
