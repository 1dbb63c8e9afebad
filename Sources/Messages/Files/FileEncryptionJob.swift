import Core
import Database
import Secrets

/// Encrypts the files of earlier versions, some in each round. A bucket has none.
///
/// The encrypted files have names of their own. Once they are on disk, one transaction stores their
/// key and queues the plain ones for removal. So an interruption at any moment leaves every picture
/// and voice note readable, and what is left of an attempt is replaced by the next one.
struct FileEncryptionJob {
  private static let perRound = 200
  private static let batch = 50

  let services: MessagesEnvironment

  private var database: Database { services.site.database }

  /// Encrypts some, and removes the files that are queued. A failure does not stop the others; the
  /// error is thrown after all have been tried.
  func run() throws {
    var failure: (any Error)?
    for media in try services.files.media.isLocal ? due() : [] {
      do {
        try encrypt(media)
      } catch {
        failure = failure ?? error
      }
    }
    try services.removals.run()
    if let failure { throw failure }
  }

  /// Pictures and voice notes of a round. The doctor names those without files.
  private func due() throws -> [StoredMedia] {
    var due: [StoredMedia] = []
    let finders = [
      MessageFileStore.plainPictures(after:limit:in:),
      MessageFileStore.plainVoices(after:limit:in:),
    ]
    for find in finders {
      var last: [UInt8] = []
      while due.count < Self.perRound {
        let found = try database.read { try find(last, Self.batch, $0) }
        guard let end = found.last else { break }
        last = end.owner.bytes
        due += found.filter { services.files.arePresent($0) }
      }
    }
    return due
  }

  private func encrypt(_ media: StoredMedia) throws {
    let folder = "\(services.files.mediaFolder)/\(media.folder)"
    try SecretFiles.withLock(on: folder) {
      // Another worker may have been faster; its files have its key.
      guard try database.read({ try MessageFileStore.isPlain(media.owner, in: $0) }) else { return }
      let key = FileKey.random()
      try services.files.encrypt(media.names, from: folder, into: media.folder, with: key)
      let sealed = try key.sealed(for: media.owner.key, with: services.site.keys)
      let isStored = try database.write { writer in
        guard try MessageFileStore.setKey(sealed, of: media.owner, in: writer) else { return false }
        try services.removals.add(media.paths, in: writer)
        return true
      }
      // The message has been deleted since.
      if !isStored { services.files.removeEncrypted(media.names, in: media.folder) }
    }
  }
}
