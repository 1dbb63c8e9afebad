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
    return canConnect(AF_UNIX, &address)
  }

  /// At a port of 127.0.0.1.
  static func answers(port: Int) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return canConnect(AF_INET, &address)
  }

  private static func canConnect<Address>(_ family: Int32, _ address: inout Address) -> Bool {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
  }
}
