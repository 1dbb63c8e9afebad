import Glibc

/// Sends a response in records of its own (FastCGI 1.0, section 3.3): libfcgi would split it into
/// pieces of 8 KiB, each of which wakes the web server.
enum FastCGIResponseWriter {
  /// The longest content of a record that needs no padding.
  private static let maximumContentLength = 65_528
  private static let standardOutput: UInt8 = 6
  private static let padding: [UInt8] = [UInt8](repeating: 0, count: 8)

  /// Sends `head` and `body`, one after the other, as standard output of a request.
  ///
  /// Throws `FastCGIError.clientGone` if the client doesn't read them within the socket's timeout.
  static func send(
    _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, of request: UInt16,
    to socket: Int32
  ) throws {
    var (head, body) = (head[...], body[...])
    while !head.isEmpty || !body.isEmpty {
      let first = head.prefix(maximumContentLength)
      let second = body.prefix(maximumContentLength - first.count)
      try send(first, second, of: request, to: socket)
      head = head.dropFirst(first.count)
      body = body.dropFirst(second.count)
    }
  }

  private static func send(
    _ first: Slice<UnsafeRawBufferPointer>, _ second: Slice<UnsafeRawBufferPointer>,
    of request: UInt16, to socket: Int32
  ) throws {
    let length = first.count + second.count
    let missing = (8 - length % 8) % 8
    let header: [UInt8] = [
      1, standardOutput, UInt8(request >> 8), UInt8(request & 0xFF), UInt8(length >> 8),
      UInt8(length & 0xFF), UInt8(missing), 0,
    ]
    try header.withUnsafeBytes { header in
      try padding.withUnsafeBytes { padding in
        var pieces = [
          header, UnsafeRawBufferPointer(rebasing: first), UnsafeRawBufferPointer(rebasing: second),
          UnsafeRawBufferPointer(rebasing: padding[..<missing]),
        ].map {
          iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
        }
        try sendAll(&pieces, to: socket)
      }
    }
  }

  private static func sendAll(_ pieces: inout [iovec], to socket: Int32) throws {
    while let place = pieces.firstIndex(where: { $0.iov_len > 0 }) {
      var count = pieces[place...].withUnsafeMutableBufferPointer { rest in
        var message = msghdr()
        message.msg_iov = rest.baseAddress
        message.msg_iovlen = rest.count
        return retryingOnInterrupt {
          sendmsg(socket, &message, Int32(truncatingIfNeeded: MSG_NOSIGNAL))
        }
      }
      guard count > 0 else { throw FastCGIError.clientGone }
      for piece in pieces.indices[place...] {
        let taken = min(count, pieces[piece].iov_len)
        pieces[piece].iov_base = pieces[piece].iov_base.map { $0 + taken }
        pieces[piece].iov_len -= taken
        count -= taken
      }
    }
  }
}
