import Core

/// The album of the viewer, implemented with Album.
public protocol MomentAlbum: Sendable {
  /// Adds a copy of a picture to the viewer's album, seen by the partner too; once for each `name`.
  /// Returns the path of the album. Throws `MomentAlbumError`.
  func keep(_ file: String, name: String, by viewer: Viewer, now: Instant) throws -> String
}

/// The reason why a picture can't be kept in the album.
public enum MomentAlbumError: Error, Sendable {
  case busy
  case diskFull
  /// The album has no space left, or too many photos were added in a short time.
  case full
  /// An internal error; the text is for the log.
  case failed(String)
}
