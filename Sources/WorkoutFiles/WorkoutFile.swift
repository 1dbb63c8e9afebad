import Foundation

/// Reads files of workouts: TCX, FIT, GPX and CSV
/// (docs/developer/workout-files.md#import-and-export).
public enum WorkoutFile {
  /// The formats of files.
  public enum Format: String, Sendable, CaseIterable {
    case tcx
    case fit
    case gpx
    case csv
  }

  /// The maximum size of a file, in bytes.
  public static let largest = 30 << 20

  /// The format of a file, by its first bytes; nil if unknown.
  public static func format(of bytes: [UInt8]) -> Format? {
    if bytes.count >= 12, Array(bytes[8..<12]) == Array(".FIT".utf8) { return .fit }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    switch text.first(where: { !CSVText.isSpace($0) }) {
    case nil: return nil
    case UInt8(ascii: "<"): return XMLValues.root(of: bytes) == "gpx" ? .gpx : .tcx
    default: return CSVText.looksLikeText(bytes) ? .csv : nil
    }
  }

  /// Reads all workouts of a file, in order; at least one. Times without an offset are in `zone`.
  /// Throws `WorkoutFileError`.
  public static func read(
    _ bytes: [UInt8], zone: TimeZone = .gmt
  ) throws(WorkoutFileError) -> [WorkoutRecording] {
    guard bytes.count <= largest else { throw .tooLarge }
    let found: [WorkoutRecording]
    switch format(of: bytes) {
    case .tcx: found = try TCXReader.read(bytes, zone: zone)
    case .gpx: found = try GPXReader.read(bytes, zone: zone)
    case .fit: found = try FITReader.read(bytes)
    case .csv: found = [try CSVReader.read(bytes, zone: zone)]
    case nil: throw .unknownFormat
    }
    guard !found.isEmpty else { throw .noWorkout }
    return found
  }
}
