import Core
import Web

/// Limits of messages (docs/developer/messages.md).
enum MessageRules {
  static let textLimits = FieldLimits(characters: 4000)
  static let maximumPictures = 9
  /// The longest voice note, in s.
  static let voiceLength = 120
  static let descriptionLimits = FieldLimits(characters: 300)
  static let clientIDLimits = FieldLimits(bytes: 64)
  static let searchLimits = FieldLimits(characters: 100)
  /// Messages on a page.
  static let pageSize = 50
  /// Conversations on a page.
  static let listSize = 30
  /// The time within which a message may be edited, and deleted for all, in s.
  static let editPeriod: Int64 = .minutes(15)
  static let deletePeriod: Int64 = .days(1)
  /// The time for which "is writing" is shown, in s.
  static let writingPeriod: Int64 = 6
  /// The time after reading in which no push comes, in s.
  static let readingPeriod: Int64 = .minutes(2)
  static let perMinute = RateLimit("messages", maximum: 30, window: .minutes(1))
  static let changes = RateLimit("message-changes", maximum: 120, window: .minutes(1))
  static let requests = RateLimit("message-requests", maximum: 5, window: .days(1))
  static let searches = RateLimit("message-searches", maximum: 30, window: .minutes(1))
  /// The newest messages that a search decrypts and compares.
  static let searched = 5000
  /// The bytes of these texts together.
  static let searchedBytes = 2 << 20
  /// The conversations that a search of all looks into.
  static let searchedConversations = 50
  static let searchPageSize = 20
  /// The unread count's limit: the badge shows "99+".
  static let maximumUnread = 100
  /// Characters of a quoted text, and of a text in a list or notice.
  static let excerpt = 120
  /// The messages before and after a reported one that moderators see.
  static let contextSize = 5
  /// The texts of a reported message that are stored beside the first one: the newest. More than the
  /// three others can report while it may be edited, 20 a day each: the author's partner can't push
  /// out what another one has reported.
  static let newestReportedTexts = 120

  /// The errors of a new message, by field (`text`, `pictures`, `voice`).
  static func errors(
    text: String, pictures: Int, hasVoice: Bool = false, isRequest: Bool
  ) -> [String: FieldError] {
    var errors: [String: FieldError] = [:]
    if text.isEmpty, pictures == 0, !hasVoice {
      errors["text"] = FieldError("error.message_empty")
    } else if let error = FieldError.tooLong(text, textLimits) {
      errors["text"] = error
    } else if isRequest, LinkedText.hasLink(text) {
      errors["text"] = FieldError("error.message_link")
    }
    if pictures > maximumPictures {
      errors["pictures"] = FieldError("error.images_many")
    } else if isRequest, pictures > 0 {
      errors["pictures"] = FieldError("error.message_pictures")
    }
    if hasVoice, isRequest {
      errors["voice"] = FieldError("error.message_voice")
    } else if hasVoice, pictures > 0 {
      errors["voice"] = FieldError("error.voice_pictures")
    }
    return errors
  }

  /// The end of the time without pushes for a member who has last read something new at a moment;
  /// nil if it is over. A moment to come was noted before the clock was set back.
  static func endOfReading(since readAt: Instant, now: Instant) -> Instant? {
    let end = readAt.adding(seconds: readingPeriod)
    return readAt <= now && end > now ? end : nil
  }

  /// The beginning of a text, on one line.
  static func excerpt(of text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ").excerpt(excerpt)
  }
}
