import Foundation

/// The name servers of this machine (resolv.conf(5)).
enum NameServers {
  private static let path = "/etc/resolv.conf"
  /// As many as the C library asks.
  private static let maximum = 3

  static func current() -> [ListenAddress] {
    servers(in: (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
  }

  /// Those that a file names; without any, the one of this machine.
  static func servers(in text: String) -> [ListenAddress] {
    let named = text.split(whereSeparator: \.isNewline).compactMap { line -> ListenAddress? in
      let fields = line.split(whereSeparator: \.isWhitespace)
      guard fields.count > 1, fields[0] == "nameserver" else { return nil }
      return ListenAddress(text: String(fields[1]))
    }
    return named.isEmpty
      ? Array(ListenAddress.loopback.prefix(1)) : Array(named.prefix(maximum))
  }
}
