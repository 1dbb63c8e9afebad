import Foundation

/// The Redis server through which the nginx of several nodes share live streams
/// (docs/developer/several-machines.md).
struct RedisServer: Sendable, Equatable {
  let host: String
  let port: Int
  let database: Int
  let password: String?

  /// Parses "redis://[:password@]host[:port][/database]"; nil for anything else. Special characters
  /// of the password are percent-encoded; quotation marks and backslashes, which have a meaning in
  /// nginx's file, can't be used.
  init?(_ text: String) {
    let form = /redis:\/\/(?::([^@\/]+)@)?([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?(?:\/([0-9]{1,3}))?/
    guard let (_, secret, host, portText, databaseText) = text.wholeMatch(of: form)?.output,
      let port = Int(portText ?? "6379"), 1...65_535 ~= port,
      let database = Int(databaseText ?? "0")
    else { return nil }
    let password = secret.map { String($0).removingPercentEncoding ?? "" }
    if let password {
      let isPlain = password.utf8.allSatisfy {
        0x21...0x7e ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }
      guard isPlain, !password.isEmpty else { return nil }
    }
    self.host = String(host)
    self.port = port
    self.database = database
    self.password = password
  }

  /// The address for nginx, without the password.
  var address: String { "redis://\(host):\(port)/\(database)" }
}

extension ConfigurationReader {
  /// The Redis server of live streams; nil if unset. Errors never quote the value, which may hold a
  /// password.
  mutating func redis(_ name: String) -> RedisServer? {
    let value = text(name, "")
    if value.isEmpty { return nil }
    let server = RedisServer(value)
    if server == nil {
      note("\(name): must be like redis://:password@host:6379/0, without a user name")
    }
    return server
  }
}
