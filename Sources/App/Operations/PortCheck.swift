import Glibc

/// Checks of the loopback interface.
enum PortCheck {
  /// Whether no process listens on a port of 127.0.0.1.
  static func isFree(_ port: Int) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return canBind(AF_INET, &address)
  }

  /// Whether ::1 exists.
  static var hasIPv6: Bool {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    inet_pton(AF_INET6, "::1", &address.sin6_addr)
    return canBind(AF_INET6, &address)
  }

  private static func canBind<Address>(_ family: Int32, _ address: inout Address) -> Bool {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
  }
}
