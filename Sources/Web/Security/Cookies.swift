import HTTPTypes

/// Reads and writes cookies (RFC 6265).
public struct Cookies {
  /// The names and attributes of this instance's cookies
  /// (docs/developer/sessions-and-tokens.md#sessions; docs/operator/README.md).
  public struct Style: Sendable {
    public let secure: Bool
    public let port: Int

    public init(secure: Bool, port: Int) {
      self.secure = secure
      self.port = port
    }

    /// The full name of a cookie: a `__Host-` prefix with https; a port suffix with plain http,
    /// since cookies ignore ports.
    public func name(_ base: String) -> String {
      secure ? "__Host-\(base)" : "\(base)_\(port)"
    }
  }

  private let header: String
  public let style: Style

  public init(header: String?, style: Style) {
    self.header = header ?? ""
    self.style = style
  }

  /// The value of one of the instance's cookies.
  public subscript(_ base: String) -> String? {
    value(named: style.name(base))
  }

  /// The value of a cookie by its full name.
  public func value(named name: String) -> String? {
    for pair in header.utf8.split(separator: UInt8(ascii: ";")) {
      let trimmed = pair.drop { $0 == UInt8(ascii: " ") }
      guard trimmed.count > name.utf8.count, trimmed.starts(with: name.utf8) else { continue }
      let rest = trimmed.dropFirst(name.utf8.count)
      if rest.first == UInt8(ascii: "=") { return String(rest.dropFirst()) }
    }
    return nil
  }

  /// A `Set-Cookie` that lasts `maxAge` s; 0 deletes. Scripts can read it only if `forScripts`.
  public static func set(
    _ base: String, _ value: String, maxAge: Int64, style: Style, forScripts: Bool = false
  ) -> String {
    var parts = ["\(style.name(base))=\(value)", "Path=/", "Max-Age=\(maxAge)", "SameSite=Lax"]
    if !forScripts { parts.append("HttpOnly") }
    if style.secure { parts.append("Secure") }
    return parts.joined(separator: "; ")
  }
}
