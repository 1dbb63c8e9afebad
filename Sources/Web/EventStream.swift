import Core

/// Requests for and responses with server-sent events (HTML Standard, section 9.2).
public enum EventStream {
  public static let type = "text/event-stream"

  /// Whether a stream is explicitly accepted (RFC 9110, section 12.5.1), in lower case, as nginx
  /// compares it; nginx streams only to GET requests.
  public static func isAccepted(by request: Request) -> Bool {
    guard request.method == .get else { return false }
    return (request.headers[.accept] ?? "").split(separator: ",").contains { range in
      let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard parts.first == type else { return false }
      let weight = parts.first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
      return weight.map { Double($0.dropFirst(2)) ?? 0 > 0 } ?? true
    }
  }

  /// A stream that ends after one event.
  public static func single(_ event: String, version: Int) -> Response {
    Response(
      .ok, headers: [.contentType: type],
      body: Array("event: \(event)\ndata: {\"version\":\(version)}\n\n".utf8))
  }
}
