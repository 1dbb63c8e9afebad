import HTTPClient

/// Sends events to the holder of the streams.
public protocol LiveSender: Sendable {
  /// Sends a channel's listeners the number of a newer version, never the change itself: they fetch
  /// it, and are authorized then. Throws if the event may not have reached them: `LiveSendError` if
  /// other channels may still be reachable.
  func notify(_ version: Int, to channel: LiveChannel) throws
  /// Ends the streams of a channel. Throws if they may still be open, like `notify`.
  func cut(_ channel: LiveChannel) throws
}

/// The holder of the streams answered, but rejected this event.
public struct LiveSendError: Error, Hashable, CustomStringConvertible {
  /// The HTTP status.
  public let status: Int

  public init(status: Int) {
    self.status = status
  }

  public var description: String { "nginx answers \(status)" }
}

/// nginx is there, but does not reach the Redis server that its streams share: no channel can be
/// sent.
public struct LiveUnavailable: Error, CustomStringConvertible {
  public var description: String { "nginx does not reach Redis" }
}

/// nginx's nchan module, which holds the streams so that they occupy no handler thread. It is
/// reached on a socket that only PairSpot's processes can access (deploy/nginx).
public struct NchanSender: LiveSender {
  private let client: HTTPClient

  /// `socket` is the path of nginx's socket for publishers.
  public init(socket: String) {
    client = HTTPClient(timeout: 2, socket: socket)
  }

  public func notify(_ version: Int, to channel: LiveChannel) throws {
    let headers = [
      (name: "Content-Type", value: "application/json"),
      (name: "X-EventSource-Event", value: channel.event),
    ]
    let body = Array("{\"version\":\(version)}".utf8)
    try ask(HTTPCall("POST", Self.address(channel), headers: headers, body: body), allowing: [])
  }

  public func cut(_ channel: LiveChannel) throws {
    // A channel without listeners doesn't exist.
    try ask(HTTPCall("DELETE", Self.address(channel)), allowing: [404])
  }

  /// Whether nginx reaches the Redis server that its streams share; true without one. Throws
  /// `HTTPClientError` if nginx does not answer.
  public func reachesRedis() throws -> Bool {
    // A request about a channel, which need not exist, is answered with 503 without Redis.
    try client.send(HTTPCall("GET", "http://live/publish/health")).status != 503
  }

  private func ask(_ call: HTTPCall, allowing others: Set<Int>) throws {
    let status = try client.send(call).status
    if status == 503 { throw LiveUnavailable() }
    guard 200..<300 ~= status || others.contains(status) else {
      throw LiveSendError(status: status)
    }
  }

  private static func address(_ channel: LiveChannel) -> String {
    "http://live/publish/\(channel.name)"
  }
}
