import Cfcgi
import Glibc

/// One connection of the web server at a time, through libfcgi; each thread has its own.
final class FastCGIConnection: ExchangeChannel {
  /// The web server has the whole request, so it sends the parameters at once; in s.
  private static let openingTimeout = 5
  /// The timeout between two pieces of a body, and of sending a piece of the response; in s.
  private static let bodyTimeout = 60

  /// The buffer of libfcgi for sending, in bytes.
  private static let buffer = 8192

  private let request = UnsafeMutablePointer<FCGX_Request>.allocate(capacity: 1)
  private let records = FastCGIConnectionGuard()
  private var bodyStarted = false

  init() {
    LibFCGI.start()
    FCGX_InitRequest(request, -1, 0)
  }

  deinit {
    request.deallocate()
  }

  /// Takes over an accepted socket and reads the request's parameters. The socket is closed here or
  /// by `finish()` in any case.
  ///
  /// Throws `FastCGIError`.
  func open(_ socket: Int32) throws {
    bodyStarted = false
    setTimeout(SO_RCVTIMEO, seconds: Self.openingTimeout, on: socket)
    setTimeout(SO_SNDTIMEO, seconds: Self.bodyTimeout, on: socket)
    do {
      try records.checkOpening(of: socket)
    } catch {
      close(socket)
      throw error
    }
    request.pointee.ipcFd = socket
    // Accept_r first finishes the previous request, which would close the new socket.
    request.pointee.keepConnection = 1
    guard FCGX_Accept_r(request) == 0 else { throw FastCGIError.malformed("libfcgi") }
    // An idle connection kept open would block this thread.
    request.pointee.keepConnection = 0
  }

  /// Sends the rest of the response and closes the connection.
  func finish() {
    FCGX_Finish_r(request)
  }

  var bodyHasAnEnd: Bool { true }

  func parameter(_ name: String) -> String? {
    FCGX_GetParam(name, request.pointee.envp).map { String(cString: $0) }
  }

  func forEachParameter(_ body: (String, String) -> Void) {
    guard var line = request.pointee.envp else { return }
    while let text = line.pointee {
      if let variable = splitVariable(text) { body(variable.name, variable.value) }
      line += 1
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard let stream = request.pointee.in, let start = buffer.baseAddress else { return 0 }
    var count = 0
    if available(stream) == 0 {
      try prepareRefill()
      let byte = FCGX_GetChar(stream)
      guard byte >= 0 else {
        guard FCGX_GetError(stream) == 0 else { throw FastCGIError.clientGone }
        return 0
      }
      start.storeBytes(of: UInt8(truncatingIfNeeded: byte), as: UInt8.self)
      count = 1
    }
    // Not more than is available: a second refill would overtake the guard.
    let rest = min(buffer.count - count, available(stream))
    if rest > 0 {
      let target = (start + count).assumingMemoryBound(to: CChar.self)
      count += Int(FCGX_GetStr(target, Int32(rest), stream))
    }
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let stream = request.pointee.out else { throw FastCGIError.clientGone }
    var position = 0
    while position < bytes.count, let start = bytes.baseAddress {
      let count = min(bytes.count - position, 1 << 30)
      let piece = (start + position).assumingMemoryBound(to: CChar.self)
      guard FCGX_PutStr(piece, Int32(count), stream) == Int32(count) else {
        throw FastCGIError.clientGone
      }
      position += count
    }
  }

  func write(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) throws {
    guard head.count + body.count >= Self.buffer else {
      try write(head)
      return try write(body)
    }
    guard let stream = request.pointee.out, FCGX_FFlush(stream) == 0 else {
      throw FastCGIError.clientGone
    }
    let socket = request.pointee.ipcFd
    do {
      try FastCGIResponseWriter.send(
        head, body, of: UInt16(truncatingIfNeeded: request.pointee.requestId), to: socket)
    } catch {
      // A client that doesn't read the response must not block its end as well.
      shutdown(socket, Int32(SHUT_RDWR))
      throw error
    }
  }

  private func prepareRefill() throws {
    if !bodyStarted {
      bodyStarted = true
      setTimeout(SO_RCVTIMEO, seconds: Self.bodyTimeout, on: request.pointee.ipcFd)
    }
    try records.checkNextRefill()
  }

  private func available(_ stream: UnsafeMutablePointer<FCGX_Stream>) -> Int {
    guard let next = stream.pointee.rdNext, let stop = stream.pointee.stop else { return 0 }
    return stop - next
  }
}

/// Starts libfcgi once a process.
enum LibFCGI {
  static func start() { _ = started }

  /// libfcgi installs handlers of its own for SIGTERM and SIGUSR1, after which SIGTERM would no
  /// longer end the process: the previous ones are restored. Its empty handler of SIGPIPE stays.
  private static let started: Bool = {
    let signals = [SIGTERM, SIGUSR1]
    var before = signals.map { _ in sigaction() }
    for (index, signal) in signals.enumerated() { sigaction(signal, nil, &before[index]) }
    let result = FCGX_Init()
    for (index, signal) in signals.enumerated() { sigaction(signal, &before[index], nil) }
    return result == 0
  }()
}
