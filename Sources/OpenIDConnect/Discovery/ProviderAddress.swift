import Foundation

/// An address that may be fetched from a provider or shown to a browser.
///
/// It must be written so that no other parser finds another host in it: libcurl and the browser read
/// it again.
struct ProviderAddress {
  private static let maximumLength = 2000

  let text: String
  let host: String
  let isPlain: Bool
  let hasQuery: Bool

  /// Reads an https address, or with `allowsPlain` an http one. Nil for anything else, and for
  /// addresses with user name, password or fragment.
  init?(_ text: String, allowsPlain: Bool) {
    guard text.utf8.count <= Self.maximumLength,
      text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") }),
      let url = URLComponents(string: text), let scheme = url.scheme,
      scheme == "https" || (allowsPlain && scheme == "http"), let host = url.host, !host.isEmpty,
      1...65_535 ~= url.port ?? 443, url.user == nil, url.password == nil, url.fragment == nil
    else { return nil }
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    let isLiteral = bare != host || bare.contains(":")
    guard bare.utf8.allSatisfy({ Self.isHostCharacter($0, inLiteral: isLiteral) }) else {
      return nil
    }
    let origin = "\(scheme)://\(isLiteral ? "[\(bare)]" : bare)" + (url.port.map { ":\($0)" } ?? "")
    guard text.hasPrefix(origin) else { return nil }
    let rest = text.dropFirst(origin.count)
    guard rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?") else { return nil }
    self.text = text
    self.host = bare
    isPlain = scheme == "http"
    hasQuery = rest.contains("?")
  }

  private static func isHostCharacter(_ byte: UInt8, inLiteral isLiteral: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    case UInt8(ascii: ":"): isLiteral
    default: false
    }
  }

  /// The address with fields added to its query, encoded for forms and queries alike.
  func adding(_ fields: [(name: String, value: String)]) -> String {
    guard !fields.isEmpty else { return text }
    return text + (hasQuery ? "&" : "?") + FormFields.encode(fields)
  }
}

/// Fields of a query or a form (RFC 6749, appendix B).
enum FormFields {
  static func encode(_ fields: [(name: String, value: String)]) -> String {
    fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
  }

  /// Escapes all but the unreserved characters (RFC 3986, section 2.3).
  static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += byte < 16 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}
