import Basics
import Glibc

/// Stories in photo files: found, written and taken away, without touching a pixel
/// (photo-stories.md). Nothing here knows whose photo it is.
public enum PhotoFile {
  /// What a photo's file is, by its content. Throws `permission`, `read` or `format`.
  public static func identify(_ path: String) throws(PhotoError) -> PhotoFacts {
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

  /// Removes what interrupted saves left in a folder before a moment; a save takes seconds.
  public static func removeLeftovers(in folder: String, olderThan moment: Instant) {
    NewFile.removeLeftovers(in: folder, olderThan: moment)
  }

  /// `beforeVerifying` gets the temporary file's path; tests damage it there.
  static func save(
    _ story: PhotoStory?, _ source: String, _ target: String,
    beforeVerifying: (String) -> Void = { _ in }
  ) throws(PhotoError) {
    let original = try PhotoBytes(source, locked: true)
    let parts = try PhotoParts.parse(original.bytes)
    let blocks = try blocks(story, parts)
    let file = try NewFile(for: target)
    try file.write(original.bytes, parts.opening)
    try file.write(blocks, 0..<blocks.count)
    for range in parts.core { try file.write(original.bytes, range) }
    try file.sync()
    beforeVerifying(file.temporary)
    try verify(file.temporary, story, blocks, parts, original.bytes)
    try file.publish(replacing: source == target)
  }

  /// What stands between the opening of a new file and its core.
  static func blocks(_ story: PhotoStory?, _ parts: PhotoParts) throws(PhotoError) -> [UInt8] {
    switch parts.format {
    case .jpeg: try JPEGParts.blocks(story, parts)
    case .png: try PNGParts.blocks(story, parts)
    }
  }

  /// Reads a new file back from the disk: story in every place, picture as it was.
  private static func verify(
    _ path: String, _ story: PhotoStory?, _ blocks: [UInt8], _ parts: PhotoParts,
    _ original: [UInt8]
  ) throws(PhotoError) {
    do throws(PhotoError) {
      let written = try PhotoBytes(path)
      let found = try PhotoParts.parse(written.bytes)
      guard Verification.holds(found, written.bytes, story, blocks, parts, original) else {
        throw .write(.verificationFailed)
      }
    } catch .read(.damaged), .format {
      throw .write(.verificationFailed)
    }
  }
}
