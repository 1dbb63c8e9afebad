import Core
import Database
import Mail
import Web

/// Writes the short texts that go by channels. They are written when they are sent, so that they say
/// what is true then.
struct ChannelMessageWriter {
  let services: CheckInEnvironment

  /// Nil if the message is no longer needed, or can no longer be sent.
  func text(
    of message: ChannelMessage, now: Instant, in writer: WriteTransaction
  ) throws -> OutgoingMessage? {
    guard let channel = try message.channel.flatMap({ try services.channels.find($0, in: writer) }),
      !channel.isRemoved || message.kind == .allClear,
      let offer = services.channelOffers.find(channel.offer),
      let contact = try services.contacts.find(channel.contact, in: writer),
      contact.state != .refused,
      let card = try services.people.card(channel.person, in: writer),
      let monitor = try services.monitor(over: card, now: now, in: writer)
    else { return nil }
    let language =
      try services.monitors.settings(of: card.id, in: writer)?.contactLanguage
      ?? services.language(of: card)
    let catalogues = services.site.catalogues
    func named(_ name: String, _ key: String) -> String {
      let name = NameInMail.inBody(name)
      return name.isEmpty ? catalogues.text(key, in: language) : name
    }
    let path = CheckInLinks.contact(services.links.token(for: contact.id))
    var values = [
      "name": named(card.name, "checkin_mail.someone"),
      "link": services.site.baseURL + path,
    ]
    let key: String
    switch message.kind {
    case .alert:
      guard let alert = try open(message, in: writer), alert.reachedAt == nil else { return nil }
      let when = DateFormatting(
        now: now, zone: monitor.zone, language: language, catalogues: catalogues)
      values["when"] = monitor.lastTap.map(when.moment) ?? "?"
      if alert.timer != nil, let timer = try services.timers.find(of: card.id, in: writer) {
        values["when"] = when.moment(timer.endsAt)
        key = timer.isHelp ? "channel_message.help" : "channel_message.timer"
        break
      }
      key = alert.isRepeated ? "channel_message.alert_again" : "channel_message.alert"
    case .reached:
      guard let by = try open(message, in: writer)?.reachedBy else { return nil }
      let name = try services.contacts.find(by, in: writer)?.nameForOthers ?? ""
      values["contact"] = named(name, "checkin_mail.another_contact")
      key = "channel_message.reached"
    case .exercise: key = "channel_message.exercise"
    case .allClear: key = "channel_message.all_clear"
    case .code:
      let code = ChannelCode.make()
      try services.channels.setCode(code, of: channel.id, now: now, in: writer)
      values["code"] = code
      key = "channel_message.code"
    case .introduction, .weekly, .reminder, .warning, .timerWarning: return nil
    }
    return offer.message(
      message.id, to: channel.recipient, body: catalogues.text(key, in: language, values),
      path: path, catalogues, in: language)
  }

  private func open(_ message: ChannelMessage, in reader: ReadTransaction) throws -> Alert? {
    try services.alerts.open(of: message.person, in: reader).first { $0.id == message.alert }
  }
}
