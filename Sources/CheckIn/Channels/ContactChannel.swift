import Core

/// A means beside mail by which a contact is notified.
struct ContactChannel: Sendable {
  /// The maximum number of each contact (docs/developer/check-in-contacts.md#channels).
  static let maximumCount = 3
  /// The time after which the user is asked to try a channel again, in s.
  static let proofLifetime: Int64 = .days(90)

  let id: ID<ContactChannel>
  let contact: ID<Contact>
  let person: ID<Person>
  /// The name of the operator's offer.
  let offer: String
  /// The number or name; "" if it cannot be decrypted.
  let recipient: String
  /// When a code that was sent by it was entered; nil for a channel that is not used yet.
  let provenAt: Instant?
  /// Since when messages fail; nil if the last one was taken over.
  let failedAt: Instant?
  /// When the code that is waited for was sent.
  let codeSentAt: Instant?
  /// Whether it was removed, and is kept only for the all-clear of an alert that went by it.
  let isRemoved: Bool

  /// The recipient as shown to the user, who does not learn the address of a contact's browser.
  var shownRecipient: String { offer == ChannelOffer.pushName ? "" : recipient }

  enum State: String, Sendable, CaseIterable {
    /// A code was, or has to be, entered.
    case unproven
    case works
    /// It worked, long ago.
    case old
    case failing
  }

  func state(at now: Instant) -> State {
    guard let provenAt else { return .unproven }
    if failedAt != nil { return .failing }
    return now.seconds(since: provenAt) > Self.proofLifetime ? .old : .works
  }
}

/// A code that proves a channel.
enum ChannelCode {
  /// Without letters that are easily confused.
  private static let letters = Array("ABCDEFGHJKMNPQRSTUVWXYZ")
  static let length = 6
  /// How long it can be entered, in s.
  static let lifetime: Int64 = .hours(1)
  /// How many wrong codes can be entered.
  static let maximumTries = 5

  static func make() -> String {
    var random = SystemRandomNumberGenerator()
    return String(
      (0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
  }

  /// The letters that were entered, without spaces and in capitals.
  static func entered(_ text: String) -> String {
    String(text.prefix(40).uppercased().filter { $0.isASCII && $0.isLetter })
  }
}
