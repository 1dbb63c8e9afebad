import Accounts
import Core
import Database
import Foundation
import Web

/// The data that `/checkin` shows, read in one transaction.
struct CheckInModel {
  let card: UserSummary?
  let monitor: CheckInMonitor
  let contacts: [Contact]
  /// The contact who has reached the user, if any.
  let reachedBy: Contact?
  /// The open alerts, oldest first, each with the number of contacts that it went to.
  let alerts: [(alert: Alert, notifiedCount: Int)]
  /// The number of contacts who got an all-clear today.
  let allClearCount: Int
  /// How far the alert has got with each contact.
  let progress: [ContactProgress]
  let timer: CheckInTimer?
  let channels: [ContactChannel]
  let channelOffers: ChannelOffers
  let last: CheckIn?
  let week: [LocalDay: CheckIn]
  let streaks: Streaks
  /// The day of the user's first check-in.
  let firstDay: LocalDay?
  /// The partner offered as first contact.
  let partner: UserSummary?
  /// The alerts about others that the viewer received as a contact.
  let received: [ReceivedAlertView]
  let today: LocalDay

  init(_ services: CheckInEnvironment, _ context: Context) throws {
    let zone = context.timeZone
    let now = context.now
    let today = LocalDay(now, in: zone)
    self.today = today
    channelOffers = services.channelOffers
    guard let viewer = context.viewer else {
      card = nil
      monitor = CheckInMonitor(zone: zone)
      contacts = []
      reachedBy = nil
      alerts = []
      allClearCount = 0
      progress = []
      channels = []
      timer = nil
      last = nil
      week = [:]
      streaks = Streaks(days: [], today: today)
      firstDay = nil
      partner = nil
      received = []
      return
    }
    let database = services.site.database
    (
      card, monitor, contacts, alerts, progress, channels, timer, last, week, streaks,
      firstDay, partner, reachedBy, received, allClearCount
    ) =
      try database.read { reader in
        let card = try services.people.card(viewer.id, in: reader)
        let monitor = try card.flatMap { try services.monitor(over: $0, now: now, in: reader) }
        let contacts = try services.contacts.all(of: viewer.id, in: reader)
        let alerts = try services.alerts.open(of: viewer.id, in: reader).map {
          (
            alert: $0,
            notifiedCount: try services.alerts.notifiedContacts(of: $0.id, in: reader).count
          )
        }
        let alert = alerts.last?.alert
        let week = try services.checkIns.all(
          of: viewer.id, from: today.adding(days: -6), to: today, in: reader)
        let days = try services.checkIns.days(of: viewer.id, in: reader)
        return (
          card, monitor ?? CheckInMonitor(zone: zone), contacts, alerts,
          try alert.map { try services.escalation.progress(of: $0, in: reader) } ?? [],
          try services.channels.all(of: viewer.id, in: reader),
          try services.timers.find(of: viewer.id, in: reader),
          try services.checkIns.last(of: viewer.id, in: reader),
          Dictionary(uniqueKeysWithValues: week.map { ($0.day, $0) }),
          Streaks(days: days, today: today), days.first,
          contacts.isEmpty ? try services.people.partner(of: viewer, in: reader) : nil,
          try alert?.reachedBy.flatMap { try services.contacts.find($0, in: reader) },
          try ReceivedAlertView.all(for: viewer, context, in: reader),
          try services.alerts.allClearCount(
            of: viewer.id, since: today.start(in: zone), in: reader)
        )
      }
  }

  /// The latest open alert.
  var alert: Alert? { alerts.last?.alert }

  enum State: String {
    case missing
    case ready
    case done
  }

  var state: State {
    guard let card, !card.name.isEmpty, !contacts.isEmpty else { return .missing }
    return week[today] == nil ? .ready : .done
  }

  /// Whether further check-ins on the same day count.
  var canRepeat: Bool { monitor.thresholdHours != nil }

  /// Whether to offer a daily reminder: right after the first check-ins, unless there is one.
  var offersReminder: Bool {
    state == .done && monitor.reminderMinute == nil && streaks.longest <= 3
  }

  /// There are contacts, but none of them would be notified.
  var hasNoActiveContact: Bool { !contacts.isEmpty && !contacts.contains(where: \.counts) }

  var badContacts: [Contact] { contacts.filter { !$0.counts } }
}
