import Glibc

/// How an instance serves https itself (docs/operator/tls.md).
public enum TLSMode: Sendable, Equatable {
  /// Plain http, for a proxy in front.
  case off
  /// A certificate of its own, for trying out.
  case selfSigned
  /// The operator's files in PEM.
  case files(chain: String, key: String)
  /// Certificates of an authority that speaks ACME (RFC 8555).
  case acme(ACMESettings)

  /// Whether browsers trust the certificate, so that the instance is public.
  var isPublic: Bool {
    switch self {
    case .off, .selfSigned: false
    case .files, .acme: true
    }
  }
}

/// The account at an authority that speaks ACME.
public struct ACMESettings: Sendable, Equatable {
  /// The address of the directory (RFC 8555, section 7.1.1).
  let directory: String
  /// The address for notices of the authority; nil for none.
  let email: String?
}

/// An IP address on which nginx listens.
public struct ListenAddress: Sendable, Equatable {
  /// As typed, without brackets.
  let text: String
  let isIPv6: Bool

  static let loopback = [ListenAddress(text: "127.0.0.1"), ListenAddress(text: "::1")]
    .compactMap(\.self)
  static let all = [ListenAddress(text: "0.0.0.0"), ListenAddress(text: "::")].compactMap(\.self)

  /// Nil if the text is no IP address.
  init?(text: String) {
    var bytes = in6_addr()
    if inet_pton(AF_INET, text, &bytes) == 1 {
      isIPv6 = false
    } else if inet_pton(AF_INET6, text, &bytes) == 1 {
      isIPv6 = true
    } else {
      return nil
    }
    self.text = text
  }

  /// The address and port in nginx's `listen`, with its options.
  func listen(port: Int, _ options: String) -> String {
    isIPv6
      ? "listen [\(text)]:\(port) ipv6only=on\(options);" : "listen \(text):\(port)\(options);"
  }
}

extension ConfigurationReader {
  /// `PAIRSPOT_TLS` and the variables of its modes.
  mutating func tls() -> TLSMode {
    switch choice("PAIRSPOT_TLS", ["0", "1", "files", "acme"], "0") {
    case "1": return .selfSigned
    case "files":
      let (chain, key) = (file("PAIRSPOT_TLS_CERTIFICATE"), file("PAIRSPOT_TLS_KEY"))
      for (name, path) in [("PAIRSPOT_TLS_CERTIFICATE", chain), ("PAIRSPOT_TLS_KEY", key)]
      where path == nil {
        note("\(name): required with PAIRSPOT_TLS=files")
      }
      return .files(chain: chain ?? "", key: key ?? "")
    case "acme":
      let directory = text(
        "PAIRSPOT_ACME_URL", "https://acme-v02.api.letsencrypt.org/directory")
      if !directory.hasPrefix("https://") { note("PAIRSPOT_ACME_URL: must start with https://") }
      let email = text("PAIRSPOT_ACME_EMAIL", "")
      return .acme(ACMESettings(directory: directory, email: email.isEmpty ? nil : email))
    default: return .off
    }
  }

  mutating func checkTLS(_ tls: TLSMode, baseURL: String, redirectPort: Int, port: Int) {
    if tls != .off, !baseURL.hasPrefix("https://") {
      note("PAIRSPOT_BASE_URL: must be https with PAIRSPOT_TLS")
    }
    if redirectPort == port { note("PAIRSPOT_HTTP_PORT: must differ from PAIRSPOT_PORT") }
    if case .acme = tls {
      if redirectPort == 0 { note("PAIRSPOT_HTTP_PORT: required with PAIRSPOT_TLS=acme") }
      let host = baseURL.drop { $0 != ":" }.dropFirst(3).prefix { $0 != ":" }
      let isName = host.wholeMatch(of: /[a-z0-9-]+(\.[a-z0-9-]+)+/) != nil
      if !isName || ListenAddress(text: String(host)) != nil {
        note("PAIRSPOT_BASE_URL: must name a domain with PAIRSPOT_TLS=acme")
      }
    }
  }

  /// The addresses to listen on: those of loopback, or all for a public instance, unless named.
  mutating func listenAddresses(_ tls: TLSMode) -> [ListenAddress] {
    switch text("PAIRSPOT_LISTEN", "") {
    case "": return tls.isPublic ? ListenAddress.all : ListenAddress.loopback
    case "*": return ListenAddress.all
    case let names:
      return names.split(separator: ",").compactMap { name in
        let address = ListenAddress(text: name.filter { !" []".contains($0) })
        if address == nil { note("PAIRSPOT_LISTEN: must be * or IP addresses, found “\(name)”") }
        return address
      }
    }
  }
}
