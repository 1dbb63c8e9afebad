import Glibc

/// Answers FastCGI requests on a Unix socket with a fixed number of threads.
public final class FastCGIServer: Sendable {
  /// The number of connections that may wait while every thread is busy.
  private static let backlog: Int32 = 1024

  private let socket: ListeningSocket
  private let threads: Int

  /// Takes the lock beside `socketPath`, binds the socket with mode 0660 and listens.
  ///
  /// From here on connections wait; `run` answers them. Throws `FastCGIError.alreadyRunning` if a
  /// running server holds the path, unless this one `takesOver` from it, and other `FastCGIError`s;
  /// the socket of a dead server is replaced.
  public init(socketPath: String, threads: Int, takesOver: Bool = false) throws {
    LibFCGI.start()
    self.threads = max(1, threads)
    socket = try ListeningSocket(path: socketPath, backlog: Self.backlog, takesOver: takesOver)
  }

  /// The process that listens at a path, or did last; nil if none ever did.
  public static func owner(of socketPath: String) -> Int32? {
    ListeningLock.owner(of: socketPath)
  }

  /// Calls `handler` for each request, on several threads at once, until `stop()`.
  ///
  /// An exchange must not outlive the handler's call. These threads block the signals that control
  /// the process, so that no read is interrupted.
  public func run(_ handler: @escaping @Sendable (FastCGIExchange) -> Void) {
    let socket = socket
    let workers = (0..<threads).map { _ in
      WorkerThread { Self.answer(socket, handler) }
    }
    for worker in workers { worker.join() }
    socket.shut()
  }

  /// Ends `run`: new connections are refused, those already accepted or waiting are answered.
  ///
  /// Callable from any thread, any number of times.
  public func stop() {
    socket.refuse()
  }

  private static func answer(
    _ socket: ListeningSocket, _ handler: @Sendable (FastCGIExchange) -> Void
  ) {
    let connection = FastCGIConnection()
    while let descriptor = socket.accept() {
      // Only the web server can connect to this socket; it reports a broken request to the browser
      // itself.
      guard (try? connection.open(descriptor)) != nil else { continue }
      handler(FastCGIExchange(connection))
      connection.finish()
    }
  }
}
