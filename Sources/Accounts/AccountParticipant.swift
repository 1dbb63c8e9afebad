import Core
import Database
import Foundation

/// A feature's part in a user's account. The module that stores a user's data exports, purges and
/// merges it, and is notified of a sign-out (docs/developer/deletion-and-export.md).
///
/// A test lists every table that references a user and fails if no participant covers it.
public protocol AccountParticipant: Sendable {
  /// The tables with rows of users for which this participant is responsible, in the order in which
  /// they are purged.
  var tables: [PersonalTable] { get }
  /// The user's data for the export: names of JSON files and their contents.
  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile]
  /// The files of the user's own pictures: the originals.
  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  /// Removes all rows of a user permanently; without code of its own, as `tables` says. Returns
  /// paths below the media folder to delete after the transaction commits.
  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String]
  /// Moves a guest's data to the member's account; without code of its own, as `tables` says.
  func merge(guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction)
    throws
  /// Called when a user deletes their account; it can be restored for a while. Nothing may be sent
  /// any more.
  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
  /// Called when a deleted account is restored.
  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
  /// Called when a user's time zone changes, so that days are counted in another zone.
  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
  /// Called when a user signs out in one browser.
  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
  /// The things that a user loses by deleting the account, as far as they apply.
  func endsWithAccount(_ person: ID<Person>, in reader: ReadTransaction) throws
    -> [EndingWithAccount]
  /// Called when a user's e-mail address changes.
  func addressChanged(
    _ person: ID<Person>, to address: String, now: Instant, in writer: WriteTransaction) throws
  /// The page where a user decides about their partner as emergency contact; nil if the partner is
  /// not one.
  func contactPath(
    _ person: ID<Person>, partner: ID<Person>, in reader: ReadTransaction
  ) throws -> String?
  /// Called when a couple separates; `choice` is the user's choice about the partner as contact.
  func parted(
    _ person: ID<Person>, from partner: ID<Person>, _ choice: PartnerContactChoice, now: Instant,
    in writer: WriteTransaction) throws
  /// Called when a separation is undone.
  func reunited(_ person: ID<Person>, with partner: ID<Person>, in writer: WriteTransaction) throws
  /// Called when a user is in another couple than before: paired, or single again after a
  /// separation.
  func changed(
    _ person: ID<Person>, from old: ID<Couple>, to new: ID<Couple>, in writer: WriteTransaction)
    throws
}

/// Something that a user loses by deleting their account.
public struct EndingWithAccount: Sendable {
  /// The key of a text with a count.
  public let textKey: String
  public let count: Int

  public init(_ textKey: String, count: Int) {
    self.textKey = textKey
    self.count = count
  }
}

/// The choice about the partner as emergency contact after a separation.
public enum PartnerContactChoice: String, Sendable, CaseIterable {
  /// The partner is alerted but does not see the note until the user confirms them.
  case undecided
  /// The partner stays a contact, with the note.
  case keep
  case remove
}

extension AccountParticipant {
  public func purge(
    _ person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> [String] {
    try tables.purge(person, in: writer)
    return []
  }

  public func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try tables.merge(guest: guest, into: member, in: writer)
  }

  public func endsWithAccount(
    _ person: ID<Person>, in reader: ReadTransaction
  ) throws -> [EndingWithAccount] { [] }

  public func addressChanged(
    _ person: ID<Person>, to address: String, now: Instant, in writer: WriteTransaction
  ) throws {}

  public func contactPath(
    _ person: ID<Person>, partner: ID<Person>, in reader: ReadTransaction
  ) throws -> String? { nil }

  public func parted(
    _ person: ID<Person>, from partner: ID<Person>, _ choice: PartnerContactChoice, now: Instant,
    in writer: WriteTransaction
  ) throws {}

  public func reunited(
    _ person: ID<Person>, with partner: ID<Person>, in writer: WriteTransaction
  ) throws {}

  /// Does nothing: most participants store nothing that belongs to a couple.
  public func changed(
    _ person: ID<Person>, from old: ID<Couple>, to new: ID<Couple>, in writer: WriteTransaction
  ) throws {}
}

/// One file of an export.
public struct ExportedFile: Sendable {
  /// The file name, such as "account.json".
  public let name: String
  /// The contents; empty if they are produced later.
  public let json: [UInt8]
  private let content: (@Sendable (ReadTransaction) throws -> [UInt8]?)?
  /// Passes on the contents piece by piece; nil for other files.
  let pieces: Pieces?

  /// The source of a file's contents, which calls its second argument with each piece.
  public typealias Pieces =
    @Sendable (
      ReadTransaction, (_ piece: [UInt8]) throws -> Void
    ) throws -> Void

  public init(name: String, json: [UInt8]) {
    self.name = name
    self.json = json
    content = nil
    pieces = nil
  }

  /// A value as JSON for people to read.
  public init(name: String, encoding value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    self.init(name: name, json: Array(try encoder.encode(value)))
  }

  /// One of many files that are never in memory together. `content` is called when the file is
  /// written and returns nil if its subject has been deleted since.
  public init(name: String, content: @escaping @Sendable (ReadTransaction) throws -> [UInt8]?) {
    self.name = name
    self.content = content
    json = []
    pieces = nil
  }

  private init(name: String, pieces: @escaping Pieces) {
    self.name = name
    self.pieces = pieces
    json = []
    content = nil
  }

  /// A file that is never whole in memory. `pieces` is called twice in one transaction, first to
  /// count the bytes.
  public static func inPieces(name: String, _ pieces: @escaping Pieces) -> ExportedFile {
    ExportedFile(name: name, pieces: pieces)
  }

  /// Whether the contents are produced when the file is written, and compressed.
  var isLater: Bool { content != nil }

  /// The contents; nil if their subject has been deleted.
  public func bytes(in reader: ReadTransaction) throws -> [UInt8]? {
    if let pieces {
      var bytes: [UInt8] = []
      try pieces(reader) { bytes += $0 }
      return bytes
    }
    guard let content else { return json }
    return try content(reader)
  }
}

/// A picture or voice note in an export: an existing file.
public struct ExportedMedia: Sendable {
  /// The path below the media folder.
  public let path: String
  /// The name in the export, such as "photos/avatar.jpg".
  public let name: String
  /// Decrypts an encrypted file when the archive is written; the result is nil if it can't, or if
  /// the file has been deleted since.
  public let content: (@Sendable () throws -> [UInt8]?)?

  public init(
    path: String, name: String, content: (@Sendable () throws -> [UInt8]?)? = nil
  ) {
    self.path = path
    self.name = name
    self.content = content
  }
}
