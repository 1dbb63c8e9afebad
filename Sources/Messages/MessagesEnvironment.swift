import Accounts
import Core
import Database
import Films
import Images
import Web

/// Dependencies shared by the pages and APIs of this module.
struct MessagesEnvironment: Sendable {
  let site: AppEnvironment
  let limits: RateLimitStore
  let imageProcessor: ImageProcessor
  let films: FilmProcessor
  let files: MessageFiles
  /// The files to remove after a transaction.
  let removals: FileDeletionQueue
  let observer: any MessagesObserver
  let conversations: ConversationStore
  let messages: MessageStore
  let couples: CoupleStore
  let areMutual: @Sendable (ID<Couple>, ID<Couple>, ReadTransaction) throws -> Bool
  let isEvidence: @Sendable (ID<Message>, Instant, ReadTransaction) throws -> Bool

  init(_ needs: MessagesModule.Dependencies) {
    site = needs.site
    limits = needs.limits
    imageProcessor = needs.imageProcessor
    films = needs.films
    files = MessageFiles(
      media: needs.media, mediaFolder: needs.mediaFolder, uploadFolder: needs.site.uploadFolder,
      keys: needs.site.keys)
    removals = FileDeletionQueue(
      database: needs.site.database, media: needs.media, mediaFolder: needs.mediaFolder)
    observer = needs.observer
    conversations = ConversationStore(database: needs.site.database)
    messages = MessageStore(database: needs.site.database, keys: needs.site.keys)
    couples = CoupleStore(database: needs.site.database)
    areMutual = needs.areMutual
    isEvidence = needs.isEvidence
  }

  /// Removes the files that a transaction has queued; those that can't be removed now stay queued.
  func removeFiles() {
    do {
      try removals.run()
    } catch {
      site.logger.error("messages: \(error)")
    }
  }

  /// The content of a file of what `find` finds; nil if there is none. Throws like
  /// `MessageFiles.read`.
  ///
  /// A file that was encrypted between the look and the reading has another name after that, so
  /// there is a second look.
  func content(
    of file: String, _ find: (ReadTransaction) throws -> StoredMedia?
  ) throws -> [UInt8]? {
    for _ in 1...2 {
      guard let media = try site.database.read(find) else { return nil }
      if let bytes = try files.read(file, of: media) { return bytes }
    }
    return nil
  }
}
