import Glibc

/// IP addresses, and whether they are public.
public enum PublicAddress {
  /// The current addresses of a host name, as text: "192.0.2.1", "2001:db8::1". Empty if it doesn't
  /// resolve.
  public static func resolve(_ host: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [String] = []
    var next = list
    while let entry = next {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let isRead =
        getnameinfo(
          entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
          NI_NUMERICHOST) == 0
      let name = String(
        decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if isRead, !found.contains(name) { found.append(name) }
      next = entry.pointee.ai_next
    }
    return found
  }

  /// Whether an address is public: not loopback, private, a provider's internal, for documentation
  /// or multicast (the IANA registries of special-purpose addresses, RFC 6890), and not one that
  /// embeds an IPv4 address. False for a malformed address.
  public static func isPublic(_ text: String) -> Bool {
    if let four = bytes(text, AF_INET, 4) { return isPublic(four: four) }
    // "fe80::1%eth0" is a link-local address.
    if let six = bytes(text, AF_INET6, 16) { return isPublic(six: six) }
    return false
  }

  private static func bytes(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }

  /// First address and prefix length of each network that isn't public.
  private static let closed: [(UInt32, UInt32)] = [
    (network(0, 0, 0, 0), 8), (network(10, 0, 0, 0), 8), (network(100, 64, 0, 0), 10),
    (network(127, 0, 0, 0), 8), (network(169, 254, 0, 0), 16), (network(172, 16, 0, 0), 12),
    (network(192, 0, 0, 0), 24), (network(192, 0, 2, 0), 24), (network(192, 88, 99, 0), 24),
    (network(192, 168, 0, 0), 16), (network(198, 18, 0, 0), 15), (network(198, 51, 100, 0), 24),
    (network(203, 0, 113, 0), 24), (network(224, 0, 0, 0), 3),
  ]

  private static func network(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 {
    a << 24 | b << 16 | c << 8 | d
  }

  private static func isPublic(four bytes: [UInt8]) -> Bool {
    let address = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return closed.allSatisfy { first, length in address >> (32 - length) != first >> (32 - length) }
  }

  private static func isPublic(six bytes: [UInt8]) -> Bool {
    // 2000::/3 is all that is allocated: mapped, translated, local and multicast ones are outside.
    guard bytes[0] & 0xE0 == 0x20 else { return false }
    let (first, second) = (UInt16(bytes[0]) << 8 | UInt16(bytes[1]), bytes[2])
    // 2001::/23 (Teredo among them), 2001:db8::/32, 2002::/16 (6to4), 3fff::/20.
    if first == 0x2001, second < 2 || (second == 0x0D && bytes[3] == 0xB8) { return false }
    return first != 0x2002 && !(first == 0x3FFF && second >> 4 == 0)
  }
}
