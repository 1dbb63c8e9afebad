import Backup
import Core
import Foundation
import Glibc
import Media
import S3
import Secrets

/// `pairspot move-media`: copies all media from the data folder into the bucket, or back
/// (docs/operator/media-s3.md#move-an-instance). What is there already is left; the source is not
/// changed.
public struct MoveMedia: Sendable {
  /// Where the copies go: the values of `PAIRSPOT_MEDIA`.
  enum Target: String, CaseIterable {
    case s3
    case files
  }

  /// The reason why not all was copied, in one line.
  public struct Refused: Error, CustomStringConvertible {
    public let description: String
  }

  private let configuration: Configuration

  public init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// Copies the files to "s3" or "files", and reads each copy again. `printLine` prints a line for the
  /// operator. Throws `Refused` and other errors with a message for the operator; the next run goes
  /// on where this one ended.
  public func run(to name: String, printLine: (String) -> Void) throws {
    guard let target = Target(rawValue: name) else {
      throw Refused(description: "the target must be s3 or files")
    }
    guard let settings = configuration.knownBucket else {
      throw Refused(description: "there is no bucket: set PAIRSPOT_S3_ENDPOINT, _BUCKET and others")
    }
    let commands = BackupCommands(configuration)
    try commands.refuseOtherUser()
    // It would not start again while the folder has files and the bucket is in use.
    if target == .files, configuration.usesBucket { try commands.refuseRunning(for: "move") }
    // No restore can run while this reads.
    let lock = try DataLock.open(configuration.data, printLine: printLine)
    defer { withExtendedLifetime(lock) {} }
    try Folders.make(configuration)
    let folder = MediaFolder(configuration.mediaFolder)
    let bucket = S3Store(settings, workFolder: configuration.uploadFolder) { _ in }
    let copy: MediaCopy
    switch target {
    case .s3:
      copy = MediaCopy(from: folder, to: bucket, workFolder: configuration.uploadFolder)
      try refusePlainMessages(in: folder)
      printLine("copying media/ to \(settings.address)")
    case .files:
      // On the disk of the media folder.
      copy = MediaCopy(from: bucket, to: folder, workFolder: configuration.mediaFolder)
      printLine("copying \(settings.address) to media/")
    }
    var all = MediaCopy.Result()
    for folder in Configuration.mediaFolders {
      let result = try copy.run(folder)
      all += result
      printLine("\(folder): \(result)")
    }
    for path in all.leftOut { printLine("skipped, not a name that PairSpot gives: \(path)") }
    printLine("all: \(all)")
  }

  /// Files of an earlier version are encrypted in the folder only.
  private func refusePlainMessages(in folder: MediaFolder) throws {
    let plain = try folder.files(below: "messages").contains {
      !$0.name.hasPrefix(".") && !$0.name.hasSuffix(".sealed")
    }
    guard plain else { return }
    throw Refused(
      description: "media/messages has files that are not encrypted: let PairSpot run until the "
        + "job messages.encrypt-files has encrypted them, and see what pairspot doctor finds")
  }
}

/// Copies files from one store to another.
struct MediaCopy {
  /// The numbers of files of a folder that were copied and that were there.
  struct Result: CustomStringConvertible {
    var copied = 0
    var bytes = 0
    var present = 0
    var leftOut: [String] = []

    var description: String {
      "\(copied) files copied (\(bytes >> 20) MiB), \(present) there already"
    }

    static func += (all: inout Result, one: Result) {
      all.copied += one.copied
      all.bytes += one.bytes
      all.present += one.present
      all.leftOut += one.leftOut
    }
  }

  let source: any MediaStore
  let target: any MediaStore
  /// A folder for copies until they are in the target.
  let workFolder: String

  init(from source: any MediaStore, to target: any MediaStore, workFolder: String) {
    self.source = source
    self.target = target
    self.workFolder = workFolder
  }

  /// Copies the files below a folder that the target lacks. A file never changes under its path, so
  /// one of the same size is the same.
  func run(_ folder: String) throws -> Result {
    var result = Result()
    var (files, present) = (Listing(source, folder), Listing(target, folder))
    var other = try present.next()
    while let file = try files.next() {
      // Unfinished.
      if file.name.hasPrefix(".") { continue }
      guard file.path.wholeMatch(of: /[A-Za-z0-9_.\/-]{1,300}/) != nil else {
        result.leftOut.append(file.path)
        continue
      }
      while let known = other, known.path.utf8.lexicographicallyPrecedes(file.path.utf8) {
        other = try present.next()
      }
      if let other, other.path == file.path, other.size == file.size {
        result.present += 1
      } else if try copy(file.path) {
        result.copied += 1
        result.bytes += file.size
      }
    }
    return result
  }

  /// Copies a file and reads the copy again; returns false if the file is gone.
  private func copy(_ path: String) throws -> Bool {
    let hash = try source.read(path) { file -> [UInt8] in
      let hash = try Digests.sha256(file: file)
      let copy = try link(file)
      defer { unlink(copy) }
      try target.put(file: copy, as: path)
      return hash
    }
    guard let hash else { return false }
    guard try target.read(path, { try Digests.sha256(file: $0) }) == hash else {
      throw MoveMedia.Refused(description: "the copy of \(path) has other bytes")
    }
    return true
  }

  /// Another name for a file, or a copy if it is on another disk: `put` takes the file away.
  private func link(_ file: String) throws -> String {
    let copy = "\(workFolder)/upload-\(ID<MediaCopy>.random())"
    if Glibc.link(file, copy) != 0 {
      try FileManager.default.copyItem(atPath: file, toPath: copy)
    }
    return copy
  }

  /// The files of a store below a folder, one after the other.
  private struct Listing {
    private let store: any MediaStore
    private let folder: String
    private var files: ArraySlice<MediaFile> = []
    private var mark: String?
    private var isOver = false

    init(_ store: any MediaStore, _ folder: String) {
      self.store = store
      self.folder = folder
    }

    mutating func next() throws(MediaError) -> MediaFile? {
      while files.isEmpty {
        if isOver { return nil }
        let page = try store.page(below: folder, after: mark)
        files = page.files[...]
        mark = page.next
        isOver = mark == nil
      }
      return files.removeFirst()
    }
  }
}
