import Accounts
import Core
import Database
import Films
import Foundation
import Images

/// This module's part of an account: the user's moments, and which ones the user has seen.
struct MomentsParticipant: AccountParticipant {
  /// A guest has no moments and sees none, so there is nothing to move.
  let tables = [
    PersonalTable("moment_views"), PersonalTable("moments", owner: "author_id", purge: .custom),
  ]

  let services: MomentsEnvironment

  /// Moments that are over are not exported, even while their rows are there.
  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let moments = try self.moments(of: person, reader).map { own in
      ExportedMoment(
        id: own.id.description, words: own.words, audience: own.audience,
        createdAt: own.createdAt.rfc3339, file: own.name)
    }
    let seen = try reader.rows(
      """
      SELECT v.moment_id, v.seen_at FROM moment_views v JOIN moments m ON m.id = v.moment_id
      WHERE v.user_id = \(person) AND m.ends_at > \(services.site.clock.now())
        AND m.deleted_at IS NULL AND m.removed_at IS NULL
      ORDER BY v.seen_at
      """
    ) {
      ExportedView(
        moment: try $0.next(ID<Moment>.self).description,
        seenAt: try $0.next(Instant.self).rfc3339)
    }
    return [
      try ExportedFile(
        name: "moments.json", encoding: ExportedMoments(moments: moments, seen: seen))
    ]
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  {
    try moments(of: person, reader).map { ExportedMedia(path: $0.path, name: $0.name) }
  }

  /// An own moment: the path of its file on disk and its name in the export.
  private struct OwnMoment {
    let id: ID<Moment>
    let words: String
    let audience: String
    let createdAt: Instant
    let path: String
    let name: String
  }

  private func moments(of person: ID<Person>, _ reader: ReadTransaction) throws -> [OwnMoment] {
    try reader.rows(
      """
      SELECT id, words, audience, created_at, file_id, extension FROM moments
      WHERE author_id = \(person) AND ends_at > \(services.site.clock.now())
        AND deleted_at IS NULL AND removed_at IS NULL
      ORDER BY id
      """
    ) { row in
      let id = try row.next(ID<Moment>.self)
      let (words, audience) = (try row.next(String.self), try row.next(String.self))
      let createdAt = try row.next(Instant.self)
      let file = try row.next(ID<MomentFile>.self).description
      let fileExtension = try row.next(String.self)
      let stored =
        fileExtension == MomentStore.film
        ? FilmFiles.film(file)
        : PictureVariant.original.fileName(id: file, fileExtension: fileExtension)
      return OwnMoment(
        id: id, words: words, audience: audience, createdAt: createdAt,
        path: "\(MomentFiles.folder(id))/\(stored)", name: "photos/moments/\(id).\(fileExtension)")
    }
  }

  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    try tables.purge(person, in: writer)
    return try writer.values(
      "DELETE FROM moments WHERE author_id = \(person) RETURNING id", as: ID<Moment>.self
    ).map(MomentFiles.folder)
  }

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The view of users that every query joins hides the moments of deleted users.
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The same view shows them again, as long as they are not over.
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // A moment lasts 24 hours in every zone.
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Nothing belongs to one browser.
  }

  func endsWithAccount(
    _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [EndingWithAccount] {
    let count = try moments(of: person, reader).count
    return count > 0 ? [EndingWithAccount("account_deletion.ends_moments", count: count)] : []
  }
}

private struct ExportedMoments: Encodable {
  let moments: [ExportedMoment]
  let seen: [ExportedView]
}

private struct ExportedMoment: Encodable {
  let id: String
  let words: String
  let audience: String
  let createdAt: String
  /// The file's name in the export.
  let file: String
}

private struct ExportedView: Encodable {
  let moment: String
  let seenAt: String
}
