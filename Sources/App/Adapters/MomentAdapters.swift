import Album
import Core
import Database
import Feed
import Messages
import Moderation
import Moments
import PhotoMetadata
import Web

/// Moments as reporters and moderators see and change them: the moments module's implementation of
/// the moderation module's protocol.
struct MomentReportAdapter: ReportableMoments {
  let moderation: MomentModeration

  func seen(
    _ id: ID<ReportedMoment>, by viewer: Viewer, now: Instant
  ) throws -> ReportedMomentCard {
    let (content, moment) = try moderation.seen(id.cast(to: Moment.self), by: viewer, now: now)
    return card(
      content, isOwn: !moment.mayReport(viewer), isOfOwnCouple: moment.isOfOwnCouple,
      isForTheTwo: moment.audience == .couple)
  }

  func card(_ id: ID<ReportedMoment>) throws -> ReportedMomentCard? {
    try moderation.card(id.cast(to: Moment.self)).map { card($0) }
  }

  func noteReport(of id: ID<ReportedMoment>, now: Instant, in writer: WriteTransaction) throws {
    try moderation.noteReport(of: id.cast(to: Moment.self), now: now, in: writer)
  }

  func forgetReport(of id: ID<ReportedMoment>, in writer: WriteTransaction) throws {
    try moderation.forgetReport(of: id.cast(to: Moment.self), in: writer)
  }

  func noteDecision(
    of id: ID<ReportedMoment>, at decidedAt: Instant, in writer: WriteTransaction
  ) throws {
    try moderation.noteDecision(of: id.cast(to: Moment.self), at: decidedAt, in: writer)
  }

  func set(
    _ state: ReportTargetState, of id: ID<ReportedMoment>, now: Instant,
    with change: (WriteTransaction) throws -> Void
  ) throws {
    try moderation.set(MomentState(state), of: id.cast(to: Moment.self), now: now, with: change)
  }

  private func card(
    _ content: ReportedMomentContent, isOwn: Bool = false, isOfOwnCouple: Bool = false,
    isForTheTwo: Bool = false
  ) -> ReportedMomentCard {
    ReportedMomentCard(
      couple: content.couple, coupleName: content.coupleName, author: content.author,
      authorName: content.authorName, content: content.words,
      picture: ReportedPicture(
        medium: content.medium, thumb: content.thumb, description: content.words,
        width: content.width, height: content.height),
      film: content.film, createdAt: content.createdAt, isOwn: isOwn,
      isOfOwnCouple: isOfOwnCouple, isForTheTwo: isForTheTwo)
  }
}

extension MomentState {
  fileprivate init(_ state: ReportTargetState) {
    self =
      switch state {
      case .shown: .shown
      case .hidden: .hidden
      case .removed: .removed
      }
  }
}

/// Answers to moments, sent as messages.
struct MomentAnswerAdapter: MomentAnswers {
  let messages: MomentAnswerSender

  func way(to couple: ID<Couple>, for viewer: Viewer) throws -> MomentAnswerWay {
    let way = try messages.way(to: couple, for: viewer)
    return switch way {
    case .open: .open
    case .request: .request
    case .none: .none
    }
  }

  func send(_ answer: MomentAnswer, by viewer: Viewer, now: Instant) throws -> SentMomentAnswer {
    let (message, path) = try messages.send(
      answer.text, clientID: answer.clientID, to: answer.couple, by: viewer, now: now)
    return SentMomentAnswer(
      conversation: message.conversation.cast(to: SentMomentAnswer.Conversation.self),
      message: message.id.cast(to: SentMomentAnswer.Message.self), path: path)
  }
}

/// Pictures of moments, kept in the album.
struct MomentAlbumAdapter: MomentAlbum {
  let album: AlbumModule

  func keep(
    _ file: String, name: String, by viewer: Viewer, now: Instant
  ) throws -> KeptPicture {
    do {
      let kept = try album.keep(file, name: name, of: viewer, now: now)
      return KeptPicture(
        photo: kept.id.cast(to: KeptPicture.self), album: AlbumLinks.album,
        outcome: KeptPicture.Outcome(kept.outcome))
    } catch let error as AlbumPhotoError {
      switch error {
      case .busy, .conflict: throw MomentAlbumError.busy
      case .tooMany, .storageFull: throw MomentAlbumError.full
      case .photo(.write(.diskFull)): throw MomentAlbumError.diskFull
      case .photo(let reason): throw MomentAlbumError.failed("\(reason)")
      }
    }
  }
}

extension KeptPicture.Outcome {
  fileprivate init(_ outcome: KeptPhoto.Outcome) {
    self =
      switch outcome {
      case .added: .added
      case .restored: .restored
      case .present: .present
      }
  }
}

extension HomeMoments {
  /// The row of a viewer; nil if there is nothing to show: the viewer may make no moments and sees
  /// none.
  static func row(
    _ viewer: Viewer, _ context: Context, in reader: ReadTransaction
  ) throws -> HomeMoments? {
    let circles = try MomentsModule.circles(for: viewer, now: context.now, in: reader)
    guard viewer.mayPost || !circles.isEmpty else { return nil }
    return HomeMoments(
      newPath: viewer.mayPost ? MomentLinks.new : nil,
      circles: circles.map {
        HomeMoments.Circle(
          name: $0.name, people: $0.people, path: MomentLinks.couple($0.couple),
          isNew: $0.unseen > 0, isOwn: $0.couple == viewer.ownCouple)
      })
  }
}
