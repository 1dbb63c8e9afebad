import HTTPTypes

/// Checks the Host header (docs/developer/web-security.md): another site's name that resolves to
/// this instance must not make a browser treat its responses as that site's.
struct HostCheck: Sendable {
  /// The host with its port, as in the base URL.
  let own: String
  /// In development, loopback names with that port are accepted too.
  let isDevelopment: Bool

  func passes(_ request: Request, to route: Route?) -> Bool {
    guard let host = request.headers[.host]?.lowercased() else { return false }
    if host == own { return true }
    let requested = Self.parts(host)
    guard Self.isLoopback(requested.name) else { return false }
    // A monitoring program on this machine asks nginx directly, without a public name. It must use
    // a loopback name all the same: a page whose own name resolves to this machine could otherwise
    // read along in a local browser.
    if route?.options.contains(.asOnThisMachine) == true, request.isFromThisMachine { return true }
    return isDevelopment && requested.port == Self.parts(own).port
  }

  private static func isLoopback(_ name: Substring) -> Bool {
    name == "localhost" || name == "[::1]" || name.hasSuffix(".localhost")
      || (name.hasPrefix("127.") && name.allSatisfy { $0 == "." || ("0"..."9").contains($0) })
  }

  /// The name and port of "localhost:8080"; the port is nil if there is none.
  private static func parts(_ host: String) -> (name: Substring, port: Substring?) {
    guard let colon = host.lastIndex(of: ":") else { return (host[...], nil) }
    let port = host[host.index(after: colon)...]
    guard port.allSatisfy({ ("0"..."9").contains($0) }) else { return (host[...], nil) }
    return (host[..<colon], port)
  }
}
