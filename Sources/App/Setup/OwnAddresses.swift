import Glibc

/// The addresses of this machine's interfaces.
enum OwnAddresses {
  static func all() -> Set<String> {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var (found, next) = (Set<String>(), list)
    while let entry = next {
      next = entry.pointee.ifa_next
      guard let address = entry.pointee.ifa_addr else { continue }
      let size: Int
      switch Int32(address.pointee.sa_family) {
      case AF_INET: size = MemoryLayout<sockaddr_in>.size
      case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
      default: continue
      }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let code = getnameinfo(
        address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      guard code == 0 else { continue }
      let bytes = text.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: "%")) }
      found.insert(String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    return found
  }
}
