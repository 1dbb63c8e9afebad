import Core
import Web

/// A first message to another couple.
struct CoupleMessageRequest: JSONRequest {
  var couple: ID<Couple> = .random()
  var clientID = ""
  var text = ""

  static let jsonName = "NewCoupleMessage"
  static let jsonFields: [InputField<Self>] = [
    .required("couple_id") { $0.couple = $1 },
    .required(
      "client_id", note: "Your identifier of the message; up to 64 bytes.", example: "a1"
    ) { $0.clientID = $1 },
    .required(
      "text", limits: .paragraphs, note: "Up to 4,000 characters.", example: "Shall we walk?"
    ) { $0.text = $1 },
  ]
}

/// The last message that was read.
struct ReadRequest: JSONRequest {
  var number: Int?

  static let jsonName = "Read"
  static let jsonFields: [InputField<Self>] = [
    .optional(
      "number", in: 0...Int(Int32.max), note: "Of the last message that was read; all if omitted.",
      example: 12
    ) { $0.number = $1 }
  ]
}

/// Query parameters of a search.
struct MessageSearchQuery: JSONRequest {
  var text = ""
  var conversation: ID<Conversation>?
  var before: Int?

  static let jsonFields: [InputField<Self>] = [
    .required("q", note: "Up to 100 characters; all words must be found.", example: "station") {
      $0.text = $1
    },
    .optional("conversation_id", note: "All of yours if omitted.") { $0.conversation = $1 },
    .optional(
      "before", in: 0...Int(Int32.max), note: "The `next` of the previous response.", example: 12
    ) { $0.before = $1 },
  ]
}

/// A change of the settings of messages.
struct MessageSettingsRequest: JSONRequest {
  var showsContent: Bool?
  var sharesReads: Bool?

  static let jsonName = "MessageSettingsChange"
  static let jsonFields: [InputField<Self>] = [
    .optional("shows_content", note: "Whether pushes show the beginning of a message.") {
      $0.showsContent = $1
    },
    .optional("shares_reads", note: "Whether read marks are shown, both ways.") {
      $0.sharesReads = $1
    },
  ]
}

/// Hours without notices.
struct MutedHoursRequest: JSONRequest {
  var from = 0
  var to = 0

  static let jsonName = "NewMutedHours"
  static let jsonFields: [InputField<Self>] = [
    .optional("from", in: 0...1439, note: "In minutes since midnight.", example: 1320) {
      $0.from = $1
    },
    .optional("to", in: 0...1439, note: "The end; may be on the next day.", example: 420) {
      $0.to = $1
    },
  ]
}
