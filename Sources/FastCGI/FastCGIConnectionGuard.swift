import Glibc

/// Checks a connection's bytes with `MSG_PEEK`, always ahead of libfcgi's own reading.
///
/// With `SO_PEEK_OFF` (socket(7)) each peek continues where the last one ended. The kernel lowers
/// the offset by the bytes that are read, so the option's value is the lead over libfcgi.
final class FastCGIConnectionGuard {
  /// More than one refill of libfcgi can read: its buffer of 8,192 bytes, and before its last read
  /// the header and padding of one record.
  private static let lead = 16 * 1024
  /// From `<asm-generic/socket.h>`; Swift's Glibc doesn't import it.
  private static let peekOffsetOption: Int32 = 42

  private var checker = FastCGIRecordValidator()
  private var socket: Int32 = -1
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

  deinit {
    buffer.deallocate()
  }

  /// Waits for the opening records and the first bytes of the body, and checks them.
  ///
  /// Throws `FastCGIError`.
  func checkOpening(of socket: Int32) throws {
    checker = FastCGIRecordValidator()
    self.socket = socket
    var start: Int32 = 0
    guard
      setsockopt(socket, SOL_SOCKET, Self.peekOffsetOption, &start, socklen_t(4)) == 0
    else { throw FastCGIError.system(call: "setsockopt", path: "SO_PEEK_OFF", code: errno) }

    while !openingIsSafe { try peek() }
  }

  /// Checks the bytes that libfcgi's next refill may read.
  ///
  /// Throws `FastCGIError`.
  func checkNextRefill() throws {
    while checker.stage != .ended && lead < Self.lead { try peek() }
  }

  private var openingIsSafe: Bool {
    switch checker.stage {
    case .begin, .parameters: false
    case .body: checker.checked >= checker.openingLength + Self.lead
    case .ended: true
    }
  }

  private var lead: Int {
    var offset: Int32 = 0
    var size = socklen_t(4)
    getsockopt(socket, SOL_SOCKET, Self.peekOffsetOption, &offset, &size)
    return Int(offset)
  }

  private func peek() throws {
    let count = retryingOnInterrupt {
      recv(socket, buffer.baseAddress, buffer.count, Int32(truncatingIfNeeded: MSG_PEEK))
    }
    if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) { throw FastCGIError.timedOut }
    guard count > 0 else { throw FastCGIError.clientGone }
    try checker.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
  }
}
