import Basics
import Glibc
import Secrets

/// One JSON line a request: id, route, status, time, and a hash of who asked; no personal data,
/// and never what stood in the path (operations.md, "Seeing it").
public struct RequestLog: Sendable {
  private let descriptor: Int32
  private let key: [UInt8]

  /// Writes to a descriptor that was opened for appending; -1 writes nothing.
  public init(descriptor: Int32, keys: KeyRing) {
    self.descriptor = descriptor
    key = keys.derivedKey(purpose: "log")
  }

  func note(
    at instant: Instant, id: String, route: String, status: Int, milliseconds: Double,
    viewer: Viewer?
  ) {
    guard descriptor >= 0 else { return }
    var line = "{\"at\":\(instant.milliseconds),\"id\":\"\(id)\",\"route\":\"\(route)\","
    line += "\"status\":\(status),\"us\":\(Int(milliseconds * 1000))"
    if let viewer {
      line += ",\"person\":\"\(Hex.text(Digests.hmac(viewer.id.bytes, key: key).prefix(6)))\""
    }
    line += "}\n"
    // One write a line: lines of several threads and processes never mix.
    _ = line.withUTF8 { write(descriptor, $0.baseAddress, $0.count) }
  }
}
