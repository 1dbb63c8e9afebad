import Core

/// The name of a backup's folder, which is its start time: "20260302T000000Z".
public struct BackupName: Hashable, Sendable, Comparable {
  /// The suffix of a backup that is being written, or whose writing was interrupted.
  static let unfinished = ".partial"
  /// The suffix of a backup of faulty data: kept for inspection, never restored or counted as a
  /// backup.
  static let faulty = ".faulty"
  /// The suffix of a backup that is being deleted.
  static let leaving = ".removing"

  public let moment: Instant
  public let text: String

  public init(_ moment: Instant) {
    self.moment = moment
    text = moment.rfc3339.replacing("-", with: "").replacing(":", with: "")
  }

  /// Nil for any other name.
  public init?(_ name: String) {
    let bytes = Array(name.utf8)
    guard bytes.count == 16, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    let written =
      "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
    guard let moment = Instant(rfc3339: written) else { return nil }
    let made = BackupName(moment)
    guard made.text == name else { return nil }
    self = made
  }

  public static func < (left: BackupName, right: BackupName) -> Bool { left.text < right.text }
}
