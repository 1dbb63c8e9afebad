import Core
import Glibc
import Logging
import Secrets

/// One JSON line a request: id, route, status, time, and a hash of the viewer. No personal data,
/// and never the path itself (docs/operator/monitoring.md).
public struct RequestLog: Sendable {
  private let descriptor: Int32
  private let key: HMACKey

  /// Writes to a descriptor opened for appending; -1 writes nothing.
  public init(descriptor: Int32, keys: KeyRing) {
    self.descriptor = descriptor
    key = HMACKey(keys.derivedKey(purpose: "log"))
  }

  func note(
    at instant: Instant, id: String, route: String, status: Int, milliseconds: Double,
    viewer: Viewer?
  ) {
    guard descriptor >= 0 else { return }
    var line = "{\"at\":\(instant.milliseconds),\"id\":\(JSONStringWriter.quoted(id)),"
    line += "\"route\":\"\(route)\","
    line += "\"status\":\(status),\"ms\":\(Self.number(milliseconds))"
    if let viewer {
      line += ",\"person\":\"\(Hex.text(key.code(of: viewer.id.bytes).prefix(6)))\""
    }
    line += "}\n"
    LogLine.write(line, to: descriptor)
  }

  /// The metadata of an error's line that identifies its request, as in the request's own line.
  static func metadata(id: String, route: String, status: Int) -> Logger.Metadata {
    ["id": .string(id), "route": .string(route), "status": .stringConvertible(status)]
  }

  /// The number with three decimal places, without an exponent.
  private static func number(_ milliseconds: Double) -> String {
    let whole = Int(milliseconds * 1000)
    let rest = String(whole % 1000)
    return "\(whole / 1000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
  }
}

/// A line of a log.
enum LogLine {
  /// One write a line, so that lines of several threads and processes never mix.
  static func write(_ line: String, to descriptor: Int32) {
    guard descriptor >= 0 else { return }
    var line = line
    _ = line.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
