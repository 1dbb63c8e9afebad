import Core
import Web

/// A conversation in the API.
struct ConversationResponse: JSONResponse {
  private let conversation: Conversation
  private let latest: MessageResponse?
  private let baseURL: String

  init(_ conversation: Conversation, _ context: Context) {
    self.conversation = conversation
    latest = nil
    baseURL = context.site.baseURL
  }

  init(_ summary: ConversationSummary, _ context: Context) {
    conversation = summary.conversation
    latest = summary.latest.map { MessageResponse($0, context) }
    baseURL = context.site.baseURL
  }

  private var people: [MessageFaceResponse] {
    conversation.faces.map { MessageFaceResponse(avatar: $0, baseURL: baseURL) }
  }

  static let jsonName = "Conversation"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.conversation.id },
    JSONField("kind") { $0.conversation.kind },
    JSONField("state") { $0.conversation.state },
    JSONField("title", note: "The partner or the other couple.", example: "Mei & Jun") {
      $0.conversation.title
    },
    JSONField("couple_id", note: "The other couple; null for the two of you.") {
      $0.conversation.other?.id
    },
    JSONField("people", note: "The partner, or the other couple’s members.") { $0.people },
    JSONField("version", note: "Of the last change.", example: 14) { $0.conversation.version },
    JSONField("unread_count", note: "At most 100.", example: 2) { $0.conversation.unread },
    JSONField("may_write", example: true) { $0.conversation.mayWrite },
    JSONField("may_answer", note: "Whether you may accept or decline a request.", example: false) {
      $0.conversation.mayAnswerRequest
    },
    JSONField(
      "may_decline", note: "As `may_answer`, and while you are suspended.", example: false
    ) { $0.conversation.mayDecline },
    JSONField(
      "may_withdraw", note: "Whether your couple may take back its request.", example: false
    ) { $0.conversation.mayWithdraw },
    JSONField("own_request", note: "Whether your couple sent the request.", example: false) {
      $0.conversation.isOwnRequest
    },
    JSONField("muted_hours", note: "Null if notifications always come.") {
      $0.conversation.mutedHours.map(MutedHoursResponse.init)
    },
    JSONField("latest", note: "The latest message; null for a single conversation.") { $0.latest },
  ]
}

extension Conversation.Kind: JSONEnum {}
extension Conversation.State: JSONEnum {}

/// A member of a conversation by name.
struct MessageFaceResponse: JSONResponse {
  let avatar: Viewer.Avatar
  let baseURL: String

  static let jsonName = "ConversationPerson"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("display_name", example: "Mei") { $0.avatar.name },
    JSONField("avatar_url", note: "Null if there is no picture.") { face in
      face.avatar.avatar.map { face.baseURL + $0 }
    },
  ]
}

/// Hours without notices.
struct MutedHoursResponse: JSONResponse {
  let hours: MutedHours

  init(_ hours: MutedHours) { self.hours = hours }

  static let jsonName = "MutedHours"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("from", note: "In minutes since midnight.", example: 1320) { $0.hours.from },
    JSONField("to", example: 420) { $0.hours.to },
  ]
}

/// A page of conversations.
struct ConversationsResponse: JSONResponse {
  let conversations: [ConversationResponse]
  let unread: Int
  let next: String?

  static let jsonName = "Conversations"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("conversations") { $0.conversations },
    JSONField("unread_count", note: "In all conversations; at most 100.", example: 2) {
      $0.unread
    },
    JSONField("next_cursor", note: "For further conversations; null on the last page.") {
      $0.next
    },
  ]
}

/// The way to write to a couple.
struct CoupleContactResponse: JSONResponse {
  let contact: CoupleContact

  static let jsonName = "CoupleContact"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("couple_id") { $0.contact.couple },
    JSONField("couple_name", example: "Mei & Jun") { $0.contact.name },
    JSONField("way") { $0.contact.way },
    JSONField("conversation_id", note: "Null if there is none.") { $0.contact.conversation },
  ]
}

extension CoupleContact.Way: JSONEnum {}

/// The settings of messages.
struct MessageSettingsResponse: JSONResponse {
  let settings: MessageSettings

  static let jsonName = "MessageSettings"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("shows_content", example: false) { $0.settings.showsContent },
    JSONField("shares_reads", example: true) { $0.settings.sharesReads },
  ]
}

/// A message that was found.
struct MessageHitResponse: JSONResponse {
  private let conversation: ID<Conversation>
  private let message: MessageResponse

  init(_ hit: MessageHit, _ context: Context) {
    conversation = hit.conversation.id
    message = MessageResponse(hit.message, context)
  }

  static let jsonName = "MessageHit"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("conversation_id") { $0.conversation },
    JSONField("message") { $0.message },
  ]
}

/// The result of a search.
struct MessageHitsResponse: JSONResponse {
  let hits: [MessageHitResponse]
  let next: Int?

  static let jsonName = "MessageHits"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("hits", note: "Newest first.") { $0.hits },
    JSONField("next", note: "For older ones of one conversation; null at the end.", example: 12) {
      $0.next
    },
  ]
}
