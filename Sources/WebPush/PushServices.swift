import Foundation

/// Where pushes may go: to the services of the browsers that there are, and to what the operator
/// names besides (`PAIRSPOT_PUSH_HOSTS`). A browser's owner chooses the address, so nothing else is
/// ever asked (docs/developer/web-security.md#outgoing-requests).
public struct PushServices: Sendable {
  /// "fcm.googleapis.com" for that host, ".push.apple.com" for all below it.
  private static let known = [
    "fcm.googleapis.com", "jmt17.google.com",  // Chrome and those made of it
    "updates.push.services.mozilla.com", ".push.services.mozilla.com",  // Firefox
    ".notify.windows.com",  // Edge
    ".push.apple.com",  // Safari
  ]
  private static let longest = 2000

  private let hosts: [String]
  /// Taken as they are, whatever they are: for trying out.
  private let origins: Set<String>

  /// Those of the browsers alone.
  public init() {
    hosts = Self.known
    origins = []
  }

  /// `others` are hosts, "*.example.org" for all below one; with `isTrial` whole origins too, like
  /// "http://127.0.0.1:9000". Nil for what is neither.
  public init?(others: [String], isTrial: Bool = false) {
    var hosts = Self.known
    var origins: Set<String> = []
    for other in others {
      if isTrial, other.hasPrefix("http://") || other.hasPrefix("https://") {
        guard let url = URLComponents(string: other), url.path.isEmpty,
          let origin = Self.origin(of: url)
        else { return nil }
        origins.insert(origin)
      } else {
        let isAllBelow = other.hasPrefix("*.")
        let name = isAllBelow ? other.dropFirst(2) : Substring(other)
        guard Self.isName(name) else { return nil }
        hosts.append(isAllBelow ? ".\(name)" : String(name))
      }
    }
    self.hosts = hosts
    self.origins = origins
  }

  private static func isName(_ text: Substring) -> Bool {
    text.contains(".") && !text.hasPrefix(".") && !text.hasSuffix(".")
      && text.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  private static func origin(of url: URLComponents) -> String? {
    guard let scheme = url.scheme, let host = url.host, !host.isEmpty else { return nil }
    return "\(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")"
  }

  /// An address that a browser named, if it is one of a push service; nil for all others.
  public func endpoint(_ text: String) -> PushEndpoint? { try? read(text) }

  /// An address that a browser named. Throws why it is none of a push service.
  public func read(_ text: String) throws(PushEndpointError) -> PushEndpoint {
    guard text.utf8.count <= Self.longest else { throw .long }
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      let url = URLComponents(string: text), url.user == nil, url.password == nil,
      url.fragment == nil, let host = url.host, let origin = Self.origin(of: url)
    else { throw .address }
    if origins.contains(origin) {
      return PushEndpoint(address: text, origin: origin, host: host, mayBeAnywhere: true)
    }
    guard url.scheme == "https", url.port == nil || url.port == 443 else { throw .https }
    guard allows(host) else { throw .endpoint }
    // Whoever reads the address otherwise than we do (escapes in a host, say) gets none.
    guard ["/", ":443/"].contains(where: { text.hasPrefix("https://\(host)\($0)") }) else {
      throw .address
    }
    return PushEndpoint(address: text, origin: "https://\(host)", host: host, mayBeAnywhere: false)
  }

  private func allows(_ host: String) -> Bool {
    // An address as a number is no name of a service.
    guard Self.isName(Substring(host)), host.contains(where: \.isLetter) else { return false }
    return hosts.contains { known in
      known.hasPrefix(".") ? host.hasSuffix(known) && host.count > known.count : host == known
    }
  }
}

/// Why an address is none that pushes may go to.
public enum PushEndpointError: Error {
  /// Longer than any that a service gives.
  case long
  /// No address, or one with a name, a password or a mark in it.
  case address
  /// Not https at its usual port.
  case https
  /// Of no service that is known.
  case endpoint
}

/// The address of one browser at its push service.
public struct PushEndpoint: Sendable, Equatable {
  public let address: String
  /// "https://fcm.googleapis.com", for whom our signature is.
  public let origin: String
  public let host: String
  /// Whether the operator named its origin for trying out.
  let mayBeAnywhere: Bool

  /// The service it belongs to, by host and port: what is slow or down is so for all of one.
  public var service: String {
    origin.range(of: "://").map { String(origin[$0.upperBound...]) } ?? host
  }

  /// Where it is right now: asked before each push, which then goes nowhere else, so that a name
  /// that points elsewhere by then leads nobody inside. Nil when one of its addresses isn't out on
  /// the open net, or there is none.
  public func addresses(
    resolve: (String) -> [String] = PublicAddress.resolve
  ) -> [String]? {
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    let found = resolve(bare)
    guard !found.isEmpty else { return nil }
    return mayBeAnywhere || found.allSatisfy(PublicAddress.isPublic) ? found : nil
  }

  /// Whether one of its addresses right now isn't out on the open net. A name that doesn't resolve
  /// leads nowhere, and is asked again before each push.
  public func leadsInside(resolve: (String) -> [String] = PublicAddress.resolve) -> Bool {
    !mayBeAnywhere && !resolve(host).allSatisfy(PublicAddress.isPublic)
  }
}
