import Core
import Web

/// An answer to a moment.
struct MomentAnswerRequest: JSONRequest {
  var clientID = ""
  var text = ""

  static let jsonName = "NewMomentAnswer"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "client_id", note: "Your identifier of the message; up to 64 bytes.", example: "a1"
    ) { $0.clientID = $1 },
    .required(
      "text", limits: .paragraphs, note: "Up to 4,000 characters.", example: "Where is that?"
    ) { $0.text = $1 },
  ]
}

/// The message that an answer became.
struct MomentAnswerResponse: JSONResponse {
  let sent: SentMomentAnswer

  static let jsonName = "MomentAnswer"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("conversation_id") { $0.sent.conversation },
    JSONField("message_id") { $0.sent.message },
  ]
}

/// The photo that a kept moment became.
struct KeptMomentResponse: JSONResponse {
  let kept: KeptPicture

  static let jsonName = "KeptMoment"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("photo_id") { $0.kept.photo },
    JSONField(
      "outcome",
      note: "`restored`: it was among your deleted photos; `present`: it was in your album."
    ) { $0.kept.outcome },
  ]
}

extension MomentAlbumError {
  /// The problem of a call that can't keep a moment.
  var problem: Problem {
    switch self {
    case .busy: .busy()
    case .diskFull: .diskFull(retryAfter: 60)
    case .full: Problem(.conflict)
    case .failed: .internalError
    }
  }
}
