import Core
import Database

/// A feature's part in a person's account: what belongs to them is exported, purged, merged and
/// told of a sign-out by the module that keeps it (docs/developer/deletion-and-export.md).
///
/// A test lists every table that points at a person and fails on one that nobody covers.
public protocol AccountParticipant: Sendable {
  /// The tables with rows of people that this participant looks after.
  var tables: Set<String> { get }
  /// What a person gets of their data: file names of JSON in the export, and their contents.
  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile]
  /// The files of a person's own pictures, as they keep them: the originals.
  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  /// Removes all rows of a person for good; answers paths below the media folder that can go
  /// once the transaction is kept.
  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String]
  /// Moves what a guest has to the member that they turn out to be.
  func merge(guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction)
    throws
  /// A person has deleted their account and may come back for a while: nothing goes out any more.
  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
  /// A person who had left is back.
  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
  /// A person's days are counted in another zone from now on.
  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
  /// A person signs out on one browser.
  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
  /// What ends when a person deletes their account, as far as they have it.
  func endsWithAccount(_ person: ID<Person>, in reader: ReadTransaction) throws
    -> [EndingWithAccount]
  /// A person's address for mail has changed.
  func addressChanged(
    _ person: ID<Person>, to address: String, now: Instant, in writer: WriteTransaction) throws
  /// Where a person decides about their partner as emergency contact; nil when the partner is none.
  func contactPath(
    _ person: ID<Person>, partner: ID<Person>, in reader: ReadTransaction
  ) throws -> String?
  /// A couple has parted; `choice` is what the person wants of their partner as contact.
  func parted(
    _ person: ID<Person>, from partner: ID<Person>, _ choice: PartnerContactChoice, now: Instant,
    in writer: WriteTransaction) throws
  /// A parting was undone.
  func reunited(_ person: ID<Person>, with partner: ID<Person>, in writer: WriteTransaction) throws
  /// A person is in another couple than before: paired, or on their own again after parting.
  func changed(
    _ person: ID<Person>, from old: ID<Couple>, to new: ID<Couple>, in writer: WriteTransaction)
    throws
}

/// Something that a person loses by deleting their account.
public struct EndingWithAccount: Sendable {
  /// The text that says so, with the count.
  public let textKey: String
  public let count: Int

  public init(_ textKey: String, count: Int) {
    self.textKey = textKey
    self.count = count
  }
}

/// What becomes of a partner as emergency contact after a parting.
public enum PartnerContactChoice: String, Sendable, CaseIterable {
  /// They are told of an emergency and don't see the note until the person confirms them.
  case undecided
  /// They stay a contact, with the note.
  case keep
  case remove
}

extension AccountParticipant {
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

  /// Most keep nothing that belongs to a couple.
  public func changed(
    _ person: ID<Person>, from old: ID<Couple>, to new: ID<Couple>, in writer: WriteTransaction
  ) throws {}
}

/// One file of an export.
public struct ExportedFile: Sendable {
  /// "account.json".
  public let name: String
  /// What is in it; nothing while it waits to be made.
  public let json: [UInt8]
  private let content: (@Sendable (ReadTransaction) throws -> [UInt8]?)?

  public init(name: String, json: [UInt8]) {
    self.name = name
    self.json = json
    content = nil
  }

  /// One of many, which never lie in memory together: `content` is asked when the file is written,
  /// and answers nil when what it tells of is gone since.
  public init(name: String, content: @escaping @Sendable (ReadTransaction) throws -> [UInt8]?) {
    self.name = name
    self.content = content
    json = []
  }

  /// Whether it is made when its turn comes, and packed.
  var isLater: Bool { content != nil }

  /// What is in it; nil when that is gone.
  public func bytes(in reader: ReadTransaction) throws -> [UInt8]? {
    guard let content else { return json }
    return try content(reader)
  }
}

/// A picture of an export: a file that is there already.
public struct ExportedMedia: Sendable {
  /// Below the media folder.
  public let path: String
  /// In the export: "photos/avatar.jpg".
  public let name: String

  public init(path: String, name: String) {
    self.path = path
    self.name = name
  }
}
