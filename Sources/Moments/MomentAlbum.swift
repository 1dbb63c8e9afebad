import Core
import Web

/// The album of the viewer, implemented with Album.
public protocol MomentAlbum: Sendable {
  /// Adds a copy of a picture to the viewer's album, seen by the partner too; once for each `name`.
  /// One that the viewer has deleted is restored. Throws `MomentAlbumError`.
  func keep(_ file: String, name: String, by viewer: Viewer, now: Instant) throws -> KeptPicture
}

/// A picture that was kept in the album.
public struct KeptPicture: Sendable {
  public enum Outcome: String, Sendable, JSONEnum {
    case added
    /// It was among the deleted photos.
    case restored
    /// It was in the album already.
    case present
  }

  public let photo: ID<KeptPicture>
  /// The path of the album.
  public let album: String
  public let outcome: Outcome

  public init(photo: ID<KeptPicture>, album: String, outcome: Outcome) {
    self.photo = photo
    self.album = album
    self.outcome = outcome
  }
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
