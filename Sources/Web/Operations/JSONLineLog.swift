import Core
import Logging

/// The log of an instance's programs, one JSON line an entry, like the lines of requests
/// (`RequestLog`): time, level, message, metadata (docs/operator/monitoring.md).
public struct JSONLineLog: LogHandler {
  public var logLevel = Logger.Level.info
  public var metadata: Logger.Metadata = [:]
  public var metadataProvider: Logger.MetadataProvider?
  private let descriptor: Int32
  private let clock: any Clock

  /// Writes to a descriptor that others may write lines to as well; -1 writes nothing.
  public init(descriptor: Int32, clock: any Clock) {
    self.descriptor = descriptor
    self.clock = clock
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var line = "{\"at\":\(clock.now().milliseconds),\"level\":\"\(event.level)\""
    line += ",\"message\":\(JSONStringWriter.quoted("\(event.message)"))"
    let metadata =
      metadata
      .merging(metadataProvider?.get() ?? [:]) { $1 }
      .merging(event.metadata ?? [:]) { $1 }
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      line += ",\(JSONStringWriter.quoted(name)):\(Self.json(value))"
    }
    LogLine.write(line + "}\n", to: descriptor)
  }

  private static func json(_ value: Logger.Metadata.Value) -> String {
    // A status is a number here too, as in the lines of requests.
    if case .stringConvertible(let number as Int) = value { return "\(number)" }
    return JSONStringWriter.quoted("\(value)")
  }
}
