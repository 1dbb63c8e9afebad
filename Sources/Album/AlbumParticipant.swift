import Accounts
import Core
import Database
import Foundation

/// This module's part of a user's account: their photos with the stories in them.
struct AlbumParticipant: AccountParticipant {
  let services: AlbumEnvironment

  let tables = [
    PersonalTable("photo_favourites", merge: .move), PersonalTable("photos", purge: .custom),
  ]

  func endsWithAccount(
    _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [EndingWithAccount] {
    let count = try services.photos.all(of: person, in: reader).count
    return count > 0 ? [EndingWithAccount("account_deletion.ends_photos", count: count)] : []
  }

  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let photos = try services.photos.all(of: person, in: reader).map { photo in
      ExportedPhoto(
        id: photo.id.description, file: Self.exportedName(photo), story: photo.story,
        caption: photo.caption, editedElsewhere: photo.otherStory,
        takenAt: photo.taken?.localTime, shared: photo.isShared, width: photo.width,
        height: photo.height, createdAt: photo.createdAt.rfc3339)
    }
    let favourites = try services.photos.favourites(of: person, in: reader).map(\.description)
    return [
      try ExportedFile(name: "photos.json", encoding: photos),
      try ExportedFile(name: "favourite-photos.json", encoding: favourites),
    ]
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  {
    try services.photos.all(of: person, in: reader).map {
      ExportedMedia(
        path: "\(PhotoFolders.path(of: $0.files.folder))/\($0.files.originalName)",
        name: Self.exportedName($0))
    }
  }

  private static func exportedName(_ photo: Photo) -> String {
    "photos/album/\(photo.id).\(photo.format.fileExtension)"
  }

  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    try tables.purge(person, in: writer)
    return try services.photos.removeAll(of: person, in: writer).map(PhotoFolders.path(of:))
  }

  /// The files stay in their folder, which the rows name.
  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try services.photos.move(from: guest, to: member, in: writer)
    try tables.merge(guest: guest, into: member, in: writer)
  }

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // A deleted account is in no couple, so no other user sees its photos.
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The photos are visible again, to the partner too once the couple is active.
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Times are shown in the viewer's current time zone.
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // No browser caches an album.
  }
}

private struct ExportedPhoto: Encodable {
  let id: String
  /// The file name in the export.
  let file: String
  let story: String?
  let caption: String?
  let editedElsewhere: String?
  let takenAt: String?
  let shared: Bool
  let width: Int
  let height: Int
  let createdAt: String
}
