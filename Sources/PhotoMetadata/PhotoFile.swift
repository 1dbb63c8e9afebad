import Core
import Glibc

/// Stories in photo files: found, written and taken away, without touching a pixel
/// (docs/developer/photo-stories.md). Nothing here knows whose photo it is.
public enum PhotoFile {
  /// What a photo's file is, by its content. Throws `permission`, `read` or `format`.
  public static func identify(_ path: String) throws(PhotoError) -> PhotoProperties {
    try PhotoParts.parse(PhotoBytes(path).bytes).facts
  }

  /// What a photo's file tells. Throws `permission`, `read` or `format`.
  public static func read(_ path: String) throws(PhotoError) -> PhotoReading {
    try PhotoParts.parse(PhotoBytes(path).bytes).reading
  }

  /// Saves a photo with a story and nothing else that was in it but its pixels, its orientation
  /// and its colours.
  ///
  /// `target` is in an existing folder: `source` itself, which is replaced in one step, or a name
  /// that is free. It appears only when it is on the disk, whole, and was read back; on any error
  /// before that everything is as it was. (When at the very end the folder can't be synced, a
  /// replaced `source` is the new one, also whole.)
  public static func write(_ story: PhotoStory, into source: String, as target: String)
    throws(PhotoError)
  {
    try save(story, source, target)
  }

  /// Saves a photo with its pixels, its orientation and its colours alone: at upload, and when a
  /// story is deleted. In all else like `write`.
  public static func strip(_ source: String, as target: String) throws(PhotoError) {
    try save(nil, source, target)
  }

  /// Whether a file of this name is one that is being saved, or whose save was interrupted.
  public static func isUnfinished(_ name: String) -> Bool { AtomicFile.isTemporary(name) }

  /// Removes what interrupted saves left in a folder before a moment; a save takes seconds.
  public static func removeOrphans(in folder: String, olderThan moment: Instant) {
    AtomicFile.removeOrphans(in: folder, olderThan: moment)
  }

  /// `beforeVerifying` gets the temporary file's path; tests damage it there.
  static func save(
    _ story: PhotoStory?, _ source: String, _ target: String,
    beforeVerifying: (String) -> Void = { _ in }
  ) throws(PhotoError) {
    let original = try PhotoBytes(source, locked: true)
    let new = try PhotoAssembly(story, PhotoParts.parse(original.bytes), original.bytes)
    let file = try AtomicFile(for: target)
    for piece in new.pieces { try file.write(piece.bytes, piece.range) }
    try file.sync()
    beforeVerifying(file.temporary)
    try Verification.check(file.temporary, is: new)
    try file.publish(replacing: source == target)
  }
}
