import Ccurl
import Synchronization

/// Connections that stay open between requests: many requests to one server then need no new TCP and
/// TLS handshakes.
public final class HTTPConnections: Sendable {
  private static let maximum = 8

  /// The addresses of libcurl's idle handles; each holds its connections.
  private let idle = Mutex<[UInt]>([])

  public init() {}

  deinit {
    for address in idle.withLock({ $0 }) {
      curl_easy_cleanup(UnsafeMutableRawPointer(bitPattern: address))
    }
  }

  /// An idle handle; nil if there is none.
  func take() -> UnsafeMutableRawPointer? {
    idle.withLock { $0.popLast() }.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
  }

  /// Takes a handle back after a whole response.
  func give(_ handle: UnsafeMutableRawPointer) {
    // Resets the options, and keeps the connections.
    curl_easy_reset(handle)
    let address = UInt(bitPattern: handle)
    let isKept = idle.withLock { idle in
      guard idle.count < Self.maximum else { return false }
      idle.append(address)
      return true
    }
    if !isKept { curl_easy_cleanup(handle) }
  }
}
