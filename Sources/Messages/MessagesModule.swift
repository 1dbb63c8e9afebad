import Accounts
import Core
import Database
import Films
import Images
import Jobs
import Media
import Secrets
import Web

/// Routes, jobs and checks of the Messages module.
public struct MessagesModule: Sendable {
  /// Dependencies injected by the application.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let imageProcessor: ImageProcessor
    /// Checks voice notes and makes their files.
    public let films: FilmProcessor
    public let media: any MediaStore
    /// The folder of the store if it is one of this machine.
    public let mediaFolder: String
    public let limits: RateLimitStore
    /// Receives the events of this module.
    public let observer: any MessagesObserver
    /// Whether two couples follow each other, both ways.
    public let areMutual: @Sendable (ID<Couple>, ID<Couple>, ReadTransaction) throws -> Bool
    /// Whether moderators need what was reported of a message: its case waits, or was decided at
    /// that moment or later.
    public let isEvidence: @Sendable (ID<Message>, Instant, ReadTransaction) throws -> Bool

    public init(
      site: AppEnvironment, imageProcessor: ImageProcessor, films: FilmProcessor,
      media: any MediaStore, mediaFolder: String, limits: RateLimitStore,
      observer: any MessagesObserver = NoMessagesObserver(),
      areMutual: @escaping @Sendable (ID<Couple>, ID<Couple>, ReadTransaction) throws -> Bool,
      isEvidence: @escaping @Sendable (ID<Message>, Instant, ReadTransaction) throws -> Bool
    ) {
      self.site = site
      self.imageProcessor = imageProcessor
      self.films = films
      self.media = media
      self.mediaFolder = mediaFolder
      self.limits = limits
      self.observer = observer
      self.areMutual = areMutual
      self.isEvidence = isEvidence
    }
  }

  public static let migrations = MessageSchema.migrations + MessageReportSchema.migrations
  /// Files referenced by rows of this module.
  public static let namedFiles = [MessagePictureStore.named, MessageVoiceStore.named]
  /// Those of these files below the folder of messages that no row references.
  public static func unnamedFiles(
    _ paths: [String], in reader: ReadTransaction
  ) throws -> [String] {
    try MessageFileStore.unnamed(paths, in: reader)
  }

  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  /// Access to reported messages for moderators.
  public let moderation: MessageModeration
  /// The text of pushes.
  public let pushes: MessagePushes
  public let momentAnswers: MomentAnswerSender

  /// Compiles the pages of this module. Throws the errors of their templates.
  public init(_ needs: Dependencies) throws {
    let services = MessagesEnvironment(needs)
    routes =
      try MessagePages(services).routes + MessageAPI(services: services).routes
      + ConversationAPI(services: services).routes + MessageStreamAPI(services: services).routes
      + [MessageMedia(services).route]
    jobs = MessageJobs(services: services).all
    participant = MessagesParticipant(services: services)
    doctorChecks = MessagesDoctor(keys: needs.site.keys, files: services.files).checks
    moderation = MessageModeration(services: services)
    pushes = MessagePushes(services: services)
    momentAnswers = MomentAnswerSender(services: services)
  }

  /// Encrypts all texts, and the keys of files, with the current key of another ring; returns the number of values.
  public static func reencrypt(
    from old: KeyRing, to new: KeyRing, in writer: WriteTransaction
  ) throws -> Int {
    try MessageStore.text.reencrypt(from: old, to: new, in: writer)
      + MessageStore.description.reencrypt(from: old, to: new, in: writer)
      + MessageFileStore.pictureKey.reencrypt(from: old, to: new, in: writer)
      + MessageFileStore.voiceKey.reencrypt(from: old, to: new, in: writer)
      + MessageReportStore.text.reencrypt(from: old, to: new, in: writer)
  }
}
