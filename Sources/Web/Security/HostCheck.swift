import HTTPTypes

/// Under which names this instance may be asked (docs/developer/web-security.md): another site's
/// name that leads here must not make a browser take our answers for that site's.
struct HostCheck: Sendable {
  /// The host with its port, as the base URL says it.
  let own: String
  /// In development loopback names with that port are ours, too.
  let isDevelopment: Bool

  func passes(_ request: Request, to route: Route?) -> Bool {
    guard let host = request.headers[.host]?.lowercased() else { return false }
    if host == own { return true }
    let asked = Self.parts(host)
    guard Self.isLoopback(asked.name) else { return false }
    // Who watches over an instance asks nginx itself, on this machine, and there by no public name.
    // Only by a loopback one, all the same: a page that has its own name lead to this machine could
    // read along in a browser here.
    if route?.options.contains(.asOnThisMachine) == true, request.isFromThisMachine { return true }
    return isDevelopment && asked.port == Self.parts(own).port
  }

  private static func isLoopback(_ name: Substring) -> Bool {
    name == "localhost" || name == "[::1]" || name.hasSuffix(".localhost")
      || (name.hasPrefix("127.") && name.allSatisfy { $0 == "." || ("0"..."9").contains($0) })
  }

  /// "localhost:8080" as its name and its port, which is nil when none is said.
  private static func parts(_ host: String) -> (name: Substring, port: Substring?) {
    guard let colon = host.lastIndex(of: ":") else { return (host[...], nil) }
    let port = host[host.index(after: colon)...]
    guard port.allSatisfy({ ("0"..."9").contains($0) }) else { return (host[...], nil) }
    return (host[..<colon], port)
  }
}
