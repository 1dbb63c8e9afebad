import Foundation
import HTTPClient

/// The allowed push services: those of the known browsers, and those that the operator adds
/// (`PAIRSPOT_PUSH_HOSTS`). Users choose the endpoint's address, so no other host is ever contacted
/// (docs/developer/web-security.md#outgoing-requests).
public struct PushServices: Sendable {
  /// "fcm.googleapis.com" for that host, ".push.apple.com" for all below it.
  private static let known = [
    "fcm.googleapis.com", "jmt17.google.com",  // Chrome and its derivatives
    "updates.push.services.mozilla.com", ".push.services.mozilla.com",  // Firefox
    ".notify.windows.com",  // Edge
    ".push.apple.com",  // Safari
  ]
  private static let maximumLength = 2000

  private let hosts: [String]
  /// Accepted without further checks, for trials.
  private let origins: Set<String>

  /// The services of the browsers alone.
  public init() {
    hosts = Self.known
    origins = []
  }

  /// `others` are hosts, "*.example.org" for all below one; with `isTrial` whole origins too, like
  /// "http://127.0.0.1:9000". Nil if one is neither.
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

  /// The endpoint of an address from a browser, if it belongs to a push service; nil for all
  /// others.
  public func endpoint(_ text: String) -> PushEndpoint? { try? read(text) }

  /// The endpoint of an address from a browser. Throws the reason if it belongs to no push service.
  public func read(_ text: String) throws(PushEndpointError) -> PushEndpoint {
    guard text.utf8.count <= Self.maximumLength else { throw .long }
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      let url = URLComponents(string: text), url.user == nil, url.password == nil,
      url.fragment == nil, let host = url.host, let origin = Self.origin(of: url)
    else { throw .address }
    if origins.contains(origin) {
      return PushEndpoint(address: text, origin: origin, host: host, mayBeAnywhere: true)
    }
    guard url.scheme == "https", url.port == nil || url.port == 443 else { throw .https }
    guard allows(host) else { throw .endpoint }
    // An address that other parsers may read differently (escapes in a host, for example) is
    // rejected.
    guard ["/", ":443/"].contains(where: { text.hasPrefix("https://\(host)\($0)") }) else {
      throw .address
    }
    return PushEndpoint(address: text, origin: "https://\(host)", host: host, mayBeAnywhere: false)
  }

  private func allows(_ host: String) -> Bool {
    // An IP address is not a service's name.
    guard Self.isName(Substring(host)), host.contains(where: \.isLetter) else { return false }
    return hosts.contains { known in
      known.hasPrefix(".") ? host.hasSuffix(known) && host.count > known.count : host == known
    }
  }
}

/// The reason why an address is not an allowed endpoint.
public enum PushEndpointError: Error {
  /// Longer than the addresses of any service.
  case long
  /// Not an address, or one with user name, password or fragment.
  case address
  /// Not https at its usual port.
  case https
  /// The host of no known service.
  case endpoint
}

/// The address of one browser at its push service.
public struct PushEndpoint: Sendable, Equatable {
  public let address: String
  /// "https://fcm.googleapis.com", the audience of the signature.
  public let origin: String
  public let host: String
  /// Whether the operator allowed its origin for trials.
  let mayBeAnywhere: Bool

  /// The service by host and port, which is slow or down for all of its endpoints.
  public var service: String {
    origin.range(of: "://").map { String(origin[$0.upperBound...]) } ?? host
  }

  /// The current addresses of the host. They are resolved before each push, which then uses only
  /// them, so that a name that changes in between cannot point to the internal network. Nil if one
  /// of the addresses isn't public, or there is none.
  public func addresses(
    resolve: (String) -> [String] = PublicAddress.resolve
  ) -> [String]? {
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    let found = resolve(bare)
    guard !found.isEmpty else { return nil }
    return mayBeAnywhere || found.allSatisfy(PublicAddress.isPublic) ? found : nil
  }

  /// Whether one of its current addresses isn't public. A name that doesn't resolve is allowed
  /// here; it is resolved again before each push.
  public func leadsInside(resolve: (String) -> [String] = PublicAddress.resolve) -> Bool {
    !mayBeAnywhere && !resolve(host).allSatisfy(PublicAddress.isPublic)
  }
}
