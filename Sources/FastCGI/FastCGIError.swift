/// An error between the web server and a handler.
public enum FastCGIError: Error, Equatable, CustomStringConvertible {
  /// A running server already holds this socket.
  case alreadyRunning(path: String)
  /// The path is longer than a Unix socket address can hold (107 bytes).
  case pathTooLong(path: String)
  /// The file at the path is not a socket.
  case notASocket(path: String)
  /// A system call failed with this errno.
  case system(call: String, path: String, code: Int32)
  /// The web server closed the connection, broke off the body or reset the stream.
  case clientGone
  /// The web server sent nothing, or read nothing, for too long.
  case timedOut
  /// The input is not a well-formed FastCGI request.
  case malformed(String)

  /// One line for the operator.
  public var description: String {
    switch self {
    case .alreadyRunning(let path): "another server is already running on \(path)"
    case .pathTooLong(let path): "the socket path is longer than 107 bytes: \(path)"
    case .notASocket(let path): "\(path) exists and is not a socket"
    case .system(let call, let path, let code): "\(call) \(path): \(errorText(code))"
    case .clientGone: "the web server closed the connection"
    case .timedOut: "the web server was silent for too long"
    case .malformed(let reason): "malformed FastCGI request: \(reason)"
    }
  }
}
