import Core
import Foundation
import Secrets
import WorkoutFiles

/// Creates workouts from a file (docs/developer/workout-files.md#import-and-export).
public enum WorkoutImport {
  /// The workouts of a file as drafts for `WorkoutService.upload`. Files exported by PairSpot
  /// contain the workouts' names; for others the name is derived from the file's content, so that
  /// importing the same file twice creates duplicates. Throws `WorkoutFileError`.
  public static func drafts(
    _ bytes: [UInt8], zone: TimeZone
  ) throws(WorkoutFileError) -> [WorkoutDraft] {
    let recordings = try WorkoutFile.read(bytes, zone: zone)
    let digest = Digests.sha256(bytes)
    return recordings.enumerated().map { index, recording in
      WorkoutDraft(
        recording,
        clientSessionID: recording.id.flatMap { ID($0.description) } ?? name(digest, index),
        source: .file)
    }
  }

  private static func name(_ digest: [UInt8], _ index: Int) -> ID<ClientSession> {
    name(of: digest + (0..<4).map { UInt8(truncatingIfNeeded: index >> (8 * $0)) })
  }

  /// A UUID of version 8 (RFC 9562, section 5.8: custom format) derived from these bytes: for an
  /// imported workout, the hash of the file and the workout's index.
  static func name(of content: [UInt8]) -> ID<ClientSession> {
    var bytes = Array(Digests.sha256(content).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    // The array has sixteen bytes.
    return ID(bytes: bytes) ?? .random()
  }
}
