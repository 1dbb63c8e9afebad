import Core
import Foundation
import Mail
import Templates
import Web

/// Writes what a watchman sends.
struct WatchmanWriter: Sendable {
  let mailer: CheckInMailer
  let catalogues: Catalogues
  let baseURL: String
  let offers: ChannelOffers
  /// The language of messages to the operator.
  let language: Language

  // MARK: To contacts

  /// The mail of an alert to a contact; nil if the contact receives no mail.
  func mail(
    _ alert: WatchedAlert, to id: String, silentSince: Instant, now: Instant
  ) -> (address: String, content: MailContent)? {
    guard let contact = alert.contacts.first(where: { $0.id == id }), !contact.email.isEmpty else {
      return nil
    }
    var model = CheckInMailModel(
      name: alert.name, zone: PersonTimeZone(kept: nil, site: alert.zone), now: now)
    model.contactName = contact.name
    model.missedDays = alert.missedDays
    model.thresholdHours = alert.thresholdHours
    model.lastSeen = alert.lastSeen.map { Instant(milliseconds: $0) }
    model.timerEnd = alert.timerEnd.map { Instant(milliseconds: $0) }
    model.isHelp = alert.isHelp == true
    model.note = contact.note
    model.path = contact.path
    model.stopPath = contact.stopPath
    model.silentSince = silentSince
    return (contact.email, mailer.alert(model, in: language(of: alert)))
  }

  /// The message of an alert by a channel; nil if the operator no longer offers it.
  func message(
    _ id: ID<QueuedMail>, _ alert: WatchedAlert, to contact: String, by channel: String,
    silentSince: Instant, now: Instant
  ) -> (offer: String, message: OutgoingMessage)? {
    guard
      let contact = alert.contacts.first(where: { $0.id == contact }),
      let channel = contact.channels.first(where: { $0.id == channel }),
      let offer = offers.find(channel.offer)
    else { return nil }
    let language = language(of: alert)
    let when = DateFormatting(
      now: now, zone: PersonTimeZone(kept: nil, site: alert.zone).zone, language: language,
      catalogues: catalogues)
    let name = NameInMail.inBody(alert.name)
    let key =
      switch (alert.timerEnd, alert.isHelp) {
      case (_, true?): "channel_message.watchman_help"
      case (nil, _): "channel_message.watchman"
      default: "channel_message.watchman_timer"
      }
    let moment = (alert.timerEnd ?? alert.lastSeen).map { when.moment(Instant(milliseconds: $0)) }
    let message = offer.message(
      id, to: channel.recipient,
      body: catalogues.text(
        key, in: language,
        [
          "name": name.isEmpty ? catalogues.text("checkin_mail.someone", in: language) : name,
          "site": baseURL, "since": when.moment(silentSince), "when": moment ?? "?",
        ]), path: contact.path, catalogues, in: language)
    return message.map { (offer.name, $0) }
  }

  private func language(of alert: WatchedAlert) -> Language {
    Language(rawValue: alert.language) ?? language
  }

  // MARK: To the operator

  func mail(_ mail: WatchmanMail) -> MailContent { mailer.silence(mail, in: language) }

  /// The same by one of the operator's channels; nil if it is not in the file.
  func message(
    _ id: ID<QueuedMail>, _ mail: WatchmanMail, to recipient: String, by offer: String
  ) -> OutgoingMessage? {
    offers.find(offer)?.message(
      id, to: recipient,
      body: catalogues.text(
        mail.isBack ? "mail.watchman.back" : "mail.watchman.silent", in: language,
        [
          "base_url": mail.baseURL, "minutes": "\(mail.minutes)", "alerts": "\(mail.alerts)",
        ]), path: "/", catalogues, in: language)
  }
}
