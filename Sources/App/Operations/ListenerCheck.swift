import Glibc

/// Checks whether a process accepts connections.
enum ListenerCheck {
  /// At a socket of the file system; false for a file that a killed process left behind.
  static func answers(path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        canConnect(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// At a port of an address; of loopback for all addresses.
  static func answers(_ address: ListenAddress, port: Int) -> Bool {
    address.withSocketAddress(port: port) {
      canConnect(address.isIPv6 ? AF_INET6 : AF_INET, $0, $1)
    }
  }

  private static func canConnect(
    _ family: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
  ) -> Bool {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return connect(descriptor, address, size) == 0
  }
}
