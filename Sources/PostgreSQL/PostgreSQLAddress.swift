import Cpq

/// The parts of a connection URI. The description is for people, without the password.
public struct PostgreSQLAddress: Sendable, CustomStringConvertible {
  private struct Part: Sendable {
    /// The keyword of libpq: "host".
    let keyword: String
    let value: String
    /// The environment variable with the same meaning: "PGHOST".
    let variable: String?
  }

  private let parts: [Part]

  /// Nil for a text that libpq does not take.
  public init?(_ address: String) {
    // Its error message may quote the password.
    guard let options = PQconninfoParse(address, nil) else { return nil }
    defer { PQconninfoFree(options) }
    var found: [Part] = []
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        found.append(
          Part(
            keyword: String(cString: keyword), value: String(cString: value),
            variable: option.pointee.envvar.map { String(cString: $0) }))
      }
      option += 1
    }
    parts = found
  }

  /// The name of the database; nil for that of the user's name.
  public var database: String? { value(of: "dbname") }

  /// The variables by which programs of PostgreSQL connect to the same database. Parts without one
  /// are left out: `keepalives` and the like, and `sslpassword`.
  public var environment: [String: String] {
    parts.reduce(into: [:]) { found, part in
      if let variable = part.variable { found[variable] = part.value }
    }
  }

  /// The connection URI of another database of the same server.
  public func address(ofDatabase name: String) -> String {
    let others = parts.filter { $0.keyword != "dbname" }
    let options =
      others.map { "\($0.keyword)=\(Self.encoded($0.value))" } + ["dbname=\(Self.encoded(name))"]
    return "postgresql:///?\(options.joined(separator: "&"))"
  }

  public var description: String {
    let name = database.map { "the database \($0)" } ?? "the user's database"
    return "\(name) on \(value(of: "host") ?? "this machine")"
  }

  private func value(of keyword: String) -> String? {
    parts.first { $0.keyword == keyword }?.value
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16)
        encoded += byte < 16 ? "%0\(digits)" : "%\(digits)"
      }
    }
  }
}
