import Core
import Database
import Web

/// Adds, proves and removes the channels of a user's contacts.
struct ChannelService {
  /// The number of codes that a user may have sent a day, since each may cost the operator money
  /// and disturbs the recipient.
  static let codes = RateLimit("channel-codes", maximum: 10, window: .days(1))

  /// The number of times that a contact may turn on notifications a day.
  static let browsers = RateLimit("contact-browsers", maximum: 10, window: .days(1))

  let services: CheckInEnvironment

  /// Adds a channel and sends a code by it; returns the errors of the fields, in which case nothing
  /// was added.
  func add(
    _ offerName: String, _ entered: String, to contact: Contact, now: Instant,
    in writer: WriteTransaction
  ) throws -> [String: FieldError] {
    guard let offer = services.channelOffers.all.first(where: { $0.name == offerName }) else {
      return ["offer": FieldError("error.from_list")]
    }
    let recipient = entered.asOneLine
    guard offer.accepts(recipient) else {
      return ["recipient": FieldError("error.channel_recipient", ["example": offer.example])]
    }
    let others = try services.channels.all(of: contact, in: writer)
    guard others.count < ContactChannel.maximumCount else {
      return ["offer": FieldError("error.channels_full")]
    }
    guard !others.contains(where: { $0.offer == offer.name && $0.recipient == recipient }) else {
      return ["recipient": FieldError("error.channel_already")]
    }
    let id = ID<ContactChannel>(now: now)
    try services.channels.add(
      id, to: contact, offer: offer.name, recipient: recipient, in: writer)
    if let channel = try services.channels.find(id, in: writer) {
      try sendCode(by: channel, now: now, in: writer)
    }
    return [:]
  }

  /// Adds a browser of a contact, in place of the same one, and sends a code to it. Returns false if
  /// the contact has too many channels. The caller counts `browsers`.
  func add(
    _ target: PushTarget, to contact: Contact, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    var others = try services.channels.all(of: contact, in: writer)
    for same in others where PushTarget(same.recipient)?.endpoint == target.endpoint {
      try services.channels.remove(same.id, now: now, in: writer)
      others.removeAll { $0.id == same.id }
    }
    guard others.count < ContactChannel.maximumCount else { return false }
    let id = ID<ContactChannel>(now: now)
    try services.channels.add(
      id, to: contact, offer: ChannelOffer.pushName, recipient: target.text, in: writer)
    if let channel = try services.channels.find(id, in: writer) {
      try services.channels.queue(.code, by: channel, now: now, in: writer)
    }
    return true
  }

  /// Sends a new code; throws 429 beyond the limit.
  func sendCode(
    by channel: ContactChannel, now: Instant, in writer: WriteTransaction
  ) throws {
    if let wait = try services.limits.add(
      Self.codes, channel.person.description, now: now, in: writer)
    {
      throw Problem.tooMany(retryAfter: wait)
    }
    try services.channels.queue(.code, by: channel, now: now, in: writer)
  }

  /// Proves a channel by the code that was sent by it. Returns false if the code is wrong or too old.
  func prove(
    _ channel: ContactChannel, by code: String, now: Instant, in writer: WriteTransaction
  ) throws -> Bool {
    guard
      try services.channels.prove(
        channel.id, by: ChannelCode.entered(code), now: now, in: writer)
    else { return false }
    try changed(channel.person, now: now, in: writer)
    return true
  }

  func remove(
    _ channel: ContactChannel, now: Instant, in writer: WriteTransaction
  ) throws {
    try services.channels.remove(channel.id, now: now, in: writer)
    try changed(channel.person, now: now, in: writer)
  }

  /// A contact may be reachable, or not, from now on.
  private func changed(
    _ person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try EscalationService(services: services).advance(person, now: now, in: writer)
    try MonitorService(services: services).reschedule(person, now: now, in: writer)
  }
}
