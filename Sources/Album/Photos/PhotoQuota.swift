import Core
import Database
import Web

/// The limits for adding and storing photos.
public struct PhotoQuota: Sendable {
  /// Photos added by one user, copies included.
  static let added = RateLimit("photos", maximum: 300, window: .hours(1))

  /// The storage limits of a guest and a member, in bytes.
  public let guestBytes: Int64
  public let memberBytes: Int64

  public init(guestBytes: Int64, memberBytes: Int64) {
    self.guestBytes = guestBytes
    self.memberBytes = memberBytes
  }

  func maximumBytes(_ viewer: Viewer) -> Int64 {
    viewer.role >= .member ? memberBytes : guestBytes
  }
}

extension AlbumEnvironment {
  /// Throws `AlbumPhotoError.storageFull` if another photo of this many bytes does not fit.
  func checkStorage(bytes: Int64, of viewer: Viewer) throws {
    let kept = try site.database.read { try photos.bytes(of: viewer, in: $0) }
    let maximumBytes = quota.maximumBytes(viewer)
    guard kept + bytes <= maximumBytes else {
      throw AlbumPhotoError.storageFull(maximum: maximumBytes)
    }
  }

  /// Counts another photo of this many bytes. Throws `AlbumPhotoError.tooMany` and `.storageFull`.
  func admit(bytes: Int64, of viewer: Viewer, now: Instant) throws {
    try checkStorage(bytes: bytes, of: viewer)
    do {
      try limits.count(PhotoQuota.added, viewer.id.description, now: now)
    } catch let problem as Problem {
      throw AlbumPhotoError.tooMany(retryAfter: problem.retryAfter ?? 60)
    }
  }
}
