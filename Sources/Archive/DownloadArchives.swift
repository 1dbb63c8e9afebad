import Core
import Foundation

/// Archives and other files that are made during a request for one download, in a folder below the
/// media folder. nginx sends them; they are removed later.
public struct DownloadArchives: Sendable {
  /// The number of bytes that are written at once.
  private static let pieceLength = 64 << 10
  /// How long nginx may take to open an archive, in s; an open file stays readable.
  static let lifetime: TimeInterval = 3_600
  /// How long a user's last archive is kept beside a new one, in s: nginx may not have opened it
  /// yet.
  public static let timeout: TimeInterval = 60

  private let folder: String
  private let mediaFolder: String

  /// - Parameter folder: The name of the folder.
  public init(_ folder: String, mediaFolder: String) {
    self.folder = folder
    self.mediaFolder = mediaFolder
  }

  /// Packs an archive for a user with what `fill` adds; returns its path below the media folder.
  /// Throws the errors of `fill` and `ZipError`, with nothing left behind.
  public func pack<Owner>(
    for owner: ID<Owner>, at moment: Instant, _ fill: (ZipWriter) throws -> Void
  ) throws -> String {
    try make(for: owner, ending: "zip") { full in
      let zip = try ZipWriter(path: full, moment: moment)
      try fill(zip)
      _ = try zip.finish()
    }
  }

  /// Writes a file for a user in the pieces that `fill` passes on, of which few are in memory;
  /// returns its path below the media folder. Throws the errors of `fill` and `ZipError`, with
  /// nothing left behind.
  public func write<Owner>(
    for owner: ID<Owner>, ending: String,
    _ fill: (_ write: (_ piece: [UInt8]) throws -> Void) throws -> Void
  ) throws -> String {
    try make(for: owner, ending: ending) { full in
      let file = open(full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      if file < 0 { throw ZipError.system("make \(full)", errno) }
      let output = ZipOutput(file)
      var waiting: [UInt8] = []
      func flush() throws {
        waiting.withUnsafeBytes { output.write($0) }
        waiting.removeAll(keepingCapacity: true)
        if output.failure != 0 { throw ZipError.system("write \(full)", output.failure) }
      }
      try fill { piece in
        waiting += piece
        if waiting.count >= Self.pieceLength { try flush() }
      }
      try flush()
    }
  }

  private func make<Owner>(
    for owner: ID<Owner>, ending: String, _ write: (_ full: String) throws -> Void
  ) throws -> String {
    remove(below: "\(owner)-", olderThan: Self.timeout)
    let path = "\(folder)/\(owner)-\(ID<DownloadArchives>.random()).\(ending)"
    let full = "\(mediaFolder)/\(path)"
    try FileManager.default.createDirectory(
      atPath: "\(mediaFolder)/\(folder)", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    do {
      try write(full)
      // Readable for the group, which may include the web server.
      guard chmod(full, 0o640) == 0 else { throw FileOperationError("chmod", full) }
      return path
    } catch {
      unlink(full)
      throw error
    }
  }

  /// Removes archives that were sent. Ages are measured by the system clock, as file times are.
  public func removeOld(at moment: Date = Date()) {
    remove(below: "", olderThan: Self.lifetime, at: moment)
  }

  private func remove(
    below prefix: String, olderThan seconds: TimeInterval, at moment: Date = Date()
  ) {
    let root = "\(mediaFolder)/\(folder)"
    for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
      guard name.hasPrefix(prefix) else { continue }
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")
      guard let changed = attributes?[.modificationDate] as? Date,
        moment.timeIntervalSince(changed) > seconds
      else { continue }
      // A file that cannot be removed is retried the next time.
      unlink("\(root)/\(name)")
    }
  }
}
