import Glibc

/// The proxies whose `X-Forwarded-For` is trusted (`PAIRSPOT_TRUSTED_PROXIES`): addresses or
/// networks.
public struct TrustedProxies: Sendable {
  private struct Network: Sendable {
    let bytes: [UInt8]
    let bits: Int

    func contains(_ address: [UInt8]) -> Bool {
      guard address.count == bytes.count else { return false }
      return (0..<bits).allSatisfy { bit in
        (address[bit / 8] ^ bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
      }
    }
  }

  private let networks: [Network]

  /// The networks as text: "10.0.0.0/8".
  public var networkTexts: [String] {
    networks.map { "\(Self.text(of: $0.bytes))/\($0.bits)" }
  }

  public static let none = TrustedProxies(networks: [])

  private init(networks: [Network]) {
    self.networks = networks
  }

  /// Parses "10.0.0.1, 192.168.0.0/16, ::1"; nil if one of them is not an address.
  public init?(_ list: String) {
    var networks: [Network] = []
    for item in list.split(whereSeparator: { $0 == "," || $0 == " " }) {
      let parts = item.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count <= 2, let bytes = Self.bytes(of: String(parts[0])) else { return nil }
      let bits = parts.count == 2 ? Int(parts[1]) : bytes.count * 8
      guard let bits, 0...bytes.count * 8 ~= bits else { return nil }
      networks.append(Network(bytes: bytes, bits: bits))
    }
    self.networks = networks
  }

  /// The client's address: the last hop that isn't a trusted proxy.
  public func client(peer: String, forwardedFor: String?) -> String {
    var client = peer
    for hop in (forwardedFor ?? "").split(separator: ",").reversed() {
      guard trusts(client) else { break }
      let hop = hop.filter { $0 != " " }
      guard Self.bytes(of: hop) != nil else { break }
      client = hop
    }
    return client
  }

  /// The key of rate limits: an IPv4 address, or the /64 of an IPv6 address
  /// (docs/developer/accounts.md#limits).
  public static func limitKey(_ address: String) -> String {
    guard let bytes = bytes(of: address), bytes.count == 16 else { return address }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
  }

  /// The networks around a key of `limitKey`, each with the factor by which its limit is higher:
  /// the /56 and /48 of an IPv6 address, which one customer often has whole.
  static func networks(around key: String) -> [(key: String, factor: Int)] {
    let suffix = "::/64"
    guard key.hasSuffix(suffix) else { return [] }
    let bytes = key.dropLast(suffix.count).split(separator: ":")
    guard bytes.count == 8 else { return [] }
    return [(7, 8), (6, 32)].map { length, factor in
      ("\(bytes.prefix(length).joined(separator: ":"))::/\(length * 8)", factor)
    }
  }

  private func trusts(_ address: String) -> Bool {
    guard let bytes = Self.bytes(of: address) else { return false }
    return networks.contains { $0.contains(bytes) }
  }

  private static func text(of bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func bytes(of address: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, address, &four) == 1 {
      return withUnsafeBytes(of: &four) { Array($0) }
    }
    var six = in6_addr()
    guard inet_pton(AF_INET6, address, &six) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: &six) { Array($0) }
    // ::ffff:a.b.c.d is an IPv4-mapped address.
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
  }
}
