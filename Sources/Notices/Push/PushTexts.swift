import Core
import Database
import Templates

/// The content of a push for people.
public enum PushText: Sendable, Equatable {
  /// The text of its kind, without names.
  case plain
  /// The name of the author of a message, and its beginning if the recipient wants it shown.
  case message(from: String, words: String?)
  /// The name of the author of a voice note without words, if the recipient wants that shown.
  case voiceNote(from: String)

  func text(of kind: NoticeKind, _ catalogues: Catalogues, in language: Language) -> String {
    switch self {
    case .voiceNote(let name):
      return catalogues.text("push.message_voice", in: language, ["name": name])
    case .plain: return catalogues.text(kind.pushKey, in: language)
    case .message(let name, let words):
      guard let words, !words.isEmpty else {
        return catalogues.text("push.message_from", in: language, ["name": name])
      }
      return catalogues.text(
        "push.message_words", in: language, ["name": name, "words": words])
    }
  }
}

/// Makes the texts of pushes when they are sent, so that the outbox holds none. The content of a
/// push is encrypted for the browser (RFC 8291); its service cannot read it.
public protocol PushTexts: Sendable {
  /// The text of a push; nil if the user has dealt with its cause.
  func text(
    of kind: NoticeKind, subject: [UInt8]?, for person: ID<Person>, in reader: ReadTransaction
  ) throws -> PushText?
}

/// Texts of the kinds alone.
public struct PlainPushTexts: PushTexts {
  public init() {}

  public func text(
    of kind: NoticeKind, subject: [UInt8]?, for person: ID<Person>, in reader: ReadTransaction
  ) throws -> PushText? { .plain }
}
