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
  let observer: any MessagesObserver
  let conversations: ConversationStore
  let messages: MessageStore
  let couples: CoupleStore
  let areMutual: @Sendable (ID<Couple>, ID<Couple>, ReadTransaction) throws -> Bool

  init(_ needs: MessagesModule.Dependencies) {
    site = needs.site
    limits = needs.limits
    imageProcessor = needs.imageProcessor
    films = needs.films
    files = MessageFiles(mediaFolder: needs.mediaFolder)
    observer = needs.observer
    conversations = ConversationStore(database: needs.site.database)
    messages = MessageStore(database: needs.site.database, keys: needs.site.keys)
    couples = CoupleStore(database: needs.site.database)
    areMutual = needs.areMutual
  }
}
