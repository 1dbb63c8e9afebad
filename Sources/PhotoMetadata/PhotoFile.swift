import Core
import Glibc

/// Reads, writes and removes stories in photo files without changing a pixel
/// (docs/developer/photo-stories.md). Knows nothing about owners of photos.
public enum PhotoFile {
  /// Format, size and orientation of a photo's file, by its content. Throws `permission`, `read` or
  /// `format`.
  public static func identify(_ path: String) throws(PhotoError) -> PhotoProperties {
    try PhotoParts.parse(PhotoBytes(path).bytes).properties
  }

  /// The story and other texts of a photo's file. Throws `permission`, `read` or `format`.
  public static func read(_ path: String) throws(PhotoError) -> PhotoReading {
    try PhotoParts.parse(PhotoBytes(path).bytes).reading
  }

  /// Saves a photo with a story; of the rest of the file, only pixels, orientation and colours are
  /// kept.
  ///
  /// `target` is in an existing folder: `source` itself, which is replaced atomically, or a free
  /// name. It appears only after it was written to disk completely and verified; on any error
  /// before that nothing is changed. (If the final sync of the folder fails, a replaced `source` is
  /// the new file, also complete.)
  public static func write(_ story: PhotoStory, into source: String, as target: String)
    throws(PhotoError)
  {
    try save(story, source, target)
  }

  /// Saves a photo with only its pixels, orientation and colours: at upload, and when a story is
  /// deleted. Otherwise like `write`.
  public static func strip(_ source: String, as target: String) throws(PhotoError) {
    try save(nil, source, target)
  }

  /// Whether a file of this name is a temporary file of a running or interrupted save.
  public static func isUnfinished(_ name: String) -> Bool { AtomicFile.isTemporary(name) }

  /// Removes temporary files of interrupted saves older than a moment; a save takes seconds.
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
