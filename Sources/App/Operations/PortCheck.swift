import Glibc

/// Checks whether nginx can listen on an address.
enum PortCheck {
  /// Whether this machine has the address.
  static func exists(_ address: ListenAddress) -> Bool { problem(of: address, 0) == nil }

  /// The error of listening on a port (`errno`); nil if it is possible.
  static func problem(of address: ListenAddress, _ port: Int) -> Int32? {
    let family = address.isIPv6 ? AF_INET6 : AF_INET
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var on: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
    // "::" would take the IPv4 addresses too.
    if address.isIPv6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
    return address.withSocketAddress(port: port) { bind(descriptor, $0, $1) } == 0 ? nil : errno
  }
}

extension ListenAddress {
  /// Calls `body` with the address and port in the form of the system.
  func withSocketAddress<Result>(
    port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    func call<Address>(_ address: Address) -> Result {
      withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<Address>.size))
        }
      }
    }
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = UInt16(port).bigEndian
      inet_pton(AF_INET6, text, &address.sin6_addr)
      return call(address)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, text, &address.sin_addr)
    return call(address)
  }
}
