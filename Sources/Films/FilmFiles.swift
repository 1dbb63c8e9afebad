import Core
import Glibc

/// The stored files of films and voice notes.
public enum FilmFiles {
  /// Type of the identifier in their names.
  public enum Name {}

  /// Suffix of a name until the file is complete; pictures have the same.
  private static let unfinished = ".part"

  /// The name of a film's file: H.264 and AAC in MP4, `video/mp4`.
  public static func film(_ id: String) -> String { "film_\(id).mp4" }

  /// The name of a film's poster, `image/jpeg`.
  public static func poster(_ id: String) -> String { "poster_\(id).jpg" }

  /// The name of a voice note's file: AAC in MP4, `audio/mp4`.
  public static func voice(_ id: String) -> String { "voice_\(id).m4a" }

  /// Removes all files of one film or voice note, temporary ones too; no error if there are none.
  public static func remove(id: String, in directory: String) {
    guard ID<Name>(id) != nil else { return }
    for name in [film(id), poster(id), voice(id)] {
      unlink("\(directory)/\(name)")
      unlink("\(directory)/\(temporary(name))")
    }
  }

  /// Whether a file of this name is a temporary file of running or interrupted processing.
  public static func isUnfinished(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(unfinished)
  }

  /// The name of a file until it is complete.
  static func temporary(_ name: String) -> String { ".\(name)\(unfinished)" }
}
