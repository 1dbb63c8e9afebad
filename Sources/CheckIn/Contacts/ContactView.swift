import Accounts
import Core
import Foundation
import Mail
import Templates
import Web

/// The content of `/c/{token}` and `/checkin/people/{id}`. Days and hours are in the user's time
/// zone, as in the mails.
struct ContactView: View {
  let visit: ContactLinkSession
  private let action: String
  /// Nil for a contact who is signed in.
  private let stopLink: String?
  private let name: String
  private let reachedBy: String
  private let when: DateFormatting
  private let zone: String
  private let channels: [ChannelView]
  private let sheetLines: [String]
  /// For the browser's subscription; nil if the contact cannot add one.
  private let pushKey: String?
  private let hasExercise: Bool
  private let progress: [ContactProgressView]
  /// The text of another open alert.
  private let earlierAlert: String?
  /// Whether this contact has said that they are looking, within the time that this stops mails.
  private let isLooking: Bool

  /// `sheet` is the text of the user's sheet, if the contact has asked for it.
  init(
    _ visit: ContactLinkSession, offers: ChannelOffers, pushKey: String, sheet: String = "",
    _ context: Context
  ) {
    func named(_ name: String, _ key: String) -> String {
      let name = NameInMail.inBody(name)
      return name.isEmpty ? context.text(key) : name
    }
    self.visit = visit
    let token = context.parameters["token"]
    action = token.map(CheckInLinks.contact) ?? CheckInLinks.asContact(visit.contact.id)
    stopLink = token.map(CheckInLinks.stop)
    // A browser that is signed in has the notifications of its account.
    self.pushKey =
      token == nil || visit.contact.state == .refused || visit.isRemoved ? nil : pushKey
    sheetLines =
      sheet.isEmpty
      ? [] : sheet.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    hasExercise = visit.contact.exercise(at: context.now) == .waiting
    name = named(visit.card.name, "checkin_mail.someone")
    reachedBy = named(visit.reachedBy, "checkin_mail.another_contact")
    zone = context.timeZoneName(for: visit.zone)
    let when = DateFormatting(
      now: context.now, zone: visit.monitor.zone, language: context.language,
      catalogues: context.site.catalogues)
    self.when = when
    channels = visit.unprovenChannels.map { channel in
      ChannelView(
        channel, label: offers.find(channel.offer)?.label(in: context.language), error: nil, context
      )
    }
    let alertTexts = ["name": name, "zone": zone]
    earlierAlert = visit.earlierAlert.map { alert in
      guard alert.timer != nil, let timer = visit.timer else {
        return context.text(
          "contact_page.alert",
          alertTexts.merging(["alerted_at": when.moment(alert.claimedAt)]) { $1 })
      }
      return context.text(
        timer.isHelp ? "contact_page.help_alert" : "contact_page.timer_alert",
        alertTexts.merging(["timer_end": when.moment(timer.endsAt)]) { $1 })
    }
    isLooking = visit.progress.contains { one in
      guard one.contact == visit.contact.id, let at = one.lookingAt else { return false }
      return context.now.seconds(since: at) < Escalation.lookingTime
    }
    progress = visit.progress.map { one in
      let shown = Contact.isAddress(one.name) ? "" : one.name
      return ContactProgressView(
        one,
        name: one.contact == visit.contact.id
          ? context.text("contact_progress.you") : named(shown, "checkin_mail.another_contact"),
        isOnContactPage: true, offers: offers, when, context)
    }
  }

  private var isWaiting: Bool { visit.alert != nil && visit.alert?.reachedAt == nil }

  private var reachedByMe: Bool {
    visit.alert?.reachedAt != nil && visit.alert?.reachedBy == visit.contact.id
  }

  private var reachedByOther: Bool { visit.alert?.reachedAt != nil && !reachedByMe }

  private var counts: Bool { visit.contact.receivesMail && !visit.isRemoved }

  static let fields: [String: Field<ContactView>] = [
    "action": .text { $0.action },
    "signed_in": .flag { $0.stopLink == nil },
    "stop_link": .text { $0.stopLink ?? "" },
    "name": .text { $0.name },
    "reached_by": .text { $0.reachedBy },
    "threshold": .integer { $0.visit.monitor.threshold },
    "threshold_hours": .optionalText { $0.visit.monitor.thresholdHours.map(String.init) },
    "alert_time": .text { QuarterHour.text($0.visit.monitor.alertMinute) },
    "zone": .text { $0.zone },
    "last_seen": .text { view in view.visit.monitor.lastTap.map(view.when.moment) ?? "" },
    "alerted_at": .text { view in view.visit.alert.map { view.when.moment($0.claimedAt) } ?? "" },
    "reached_at": .text { view in view.visit.alert?.reachedAt.map(view.when.moment) ?? "" },
    "ended_at": .optionalText { view in view.visit.lastEnd.map(view.when.moment) },
    "alerted": .flag { $0.visit.alert != nil },
    "waiting": .flag { $0.isWaiting },
    "is_help": .flag { $0.visit.alert?.timer != nil && $0.visit.timer?.isHelp == true },
    "is_timer": .flag { $0.visit.alert?.timer != nil && $0.visit.timer?.isHelp != true },
    "earlier_alert": .optionalText { $0.earlierAlert },
    "is_silence": .flag { $0.visit.alert?.timer == nil },
    "timer_end": .text { view in view.visit.timer.map { view.when.moment($0.endsAt) } ?? "" },
    "timer_note": .text { $0.visit.contact.isAsked ? "" : $0.visit.timer?.note ?? "" },
    "place_at": .text { view in view.visit.place.map { view.when.moment($0.at) } ?? "" },
    "place_link": .text { $0.visit.place?.link ?? "" },
    "exercise": .flag { $0.hasExercise },
    "can_read_sheet": .flag { $0.visit.hasSheet && $0.sheetLines.isEmpty },
    "has_sheet": .flag { !$0.sheetLines.isEmpty },
    "sheet_lines": .list { $0.sheetLines },
    "channels": .list { $0.channels },
    "push_key": .optionalText { $0.pushKey },
    "looking": .flag { $0.isLooking },
    "progress": .list { $0.progress },
    "has_progress": .flag { !$0.progress.isEmpty },
    "reached_by_me": .flag { $0.reachedByMe },
    "reached_by_other": .flag { $0.reachedByOther },
    "calm": .flag { $0.visit.alert == nil && $0.counts },
    "counts": .flag { $0.counts },
    "weekly": .flag { $0.visit.contact.weeklyAt != nil },
    "refused": .flag { $0.visit.contact.state == .refused },
    "bouncing": .flag { $0.visit.contact.state == .bouncing && !$0.visit.isRemoved },
    "removed": .flag { $0.visit.isRemoved },
    "can_stop": .flag { $0.stopLink != nil && $0.visit.contact.state != .refused },
  ]
}
