import HTTPClient

/// Who holds the streams.
public protocol LiveSender: Sendable {
  /// Tells everybody who listens to a channel that there is a newer version: never what changed.
  /// Who hears of it asks for that, and is asked who they are. Throws when it may not have reached
  /// them: `LiveSendError` when others may still be told.
  func tell(_ version: Int, to channel: LiveChannel) throws
  /// Ends the streams that are joined to a channel. Throws when they may go on, as `tell`.
  func cut(_ channel: LiveChannel) throws
}

/// Who holds the streams answered, but would not have this one told.
public struct LiveSendError: Error, Hashable, CustomStringConvertible {
  /// Of HTTP.
  public let status: Int

  public init(status: Int) {
    self.status = status
  }

  public var description: String { "nginx answers \(status)" }
}

/// nginx's nchan module, which holds the streams so that no thread of ours has to, asked on a
/// socket that only our own processes can reach (deploy/nginx).
public struct NchanSender: LiveSender {
  private let client: HTTPClient

  /// `socket` is the path of nginx's socket for publishers.
  public init(socket: String) {
    client = HTTPClient(timeout: 2, socket: socket)
  }

  public func tell(_ version: Int, to channel: LiveChannel) throws {
    let headers = [
      (name: "Content-Type", value: "application/json"),
      (name: "X-EventSource-Event", value: "group"),
    ]
    let body = Array("{\"version\":\(version)}".utf8)
    try ask(HTTPCall("POST", Self.address(channel), headers: headers, body: body), allowing: [])
  }

  public func cut(_ channel: LiveChannel) throws {
    // A channel to which nobody listens isn't there.
    try ask(HTTPCall("DELETE", Self.address(channel)), allowing: [404])
  }

  private func ask(_ call: HTTPCall, allowing others: Set<Int>) throws {
    let status = try client.send(call).status
    guard 200..<300 ~= status || others.contains(status) else {
      throw LiveSendError(status: status)
    }
  }

  private static func address(_ channel: LiveChannel) -> String {
    "http://live/publish/\(channel.name)"
  }
}
