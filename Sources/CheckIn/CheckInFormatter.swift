import Accounts
import Core
import Foundation
import Web

/// Formats the data of `/checkin` as text in the viewer's language.
struct CheckInFormatter {
  let context: Context
  let model: CheckInModel

  var when: DateFormatting { DateFormatting(context) }

  var isMissing: Bool { model.state == .missing }
  var name: String { model.card?.name ?? "" }

  var greeting: String {
    if let day = pauseEnd { return context.text("checkin.on_break", ["day": day]) }
    if model.state == .done && !model.canRepeat {
      return context.text("checkin.see_you", ["name": name])
    }
    if name.isEmpty { return context.text("checkin.welcome") }
    switch Int(when.time(context.now).prefix(2)) ?? 0 {
    case ..<5: return context.text("checkin.night", ["name": name])
    case ..<12: return context.text("checkin.morning", ["name": name])
    case ..<18: return context.text("checkin.afternoon", ["name": name])
    default: return context.text("checkin.evening", ["name": name])
    }
  }

  var date: String {
    context.text(
      "checkin.date", ["weekday": when.weekday(model.today), "day": when.day(model.today)])
  }

  var lastTime: String? {
    guard let last = model.last, model.state == .ready else { return nil }
    let time = when.time(last.tappedAt)
    switch model.today.days(since: last.day) {
    case 1: return context.text("checkin.last_yesterday", ["time": time])
    default: return context.text("checkin.last_day", ["day": when.day(last.day), "time": time])
    }
  }

  /// By when the user has to check in again, where hours are counted.
  var nextTime: String? {
    guard model.monitor.thresholdHours != nil, model.alert == nil, !model.hasNoActiveContact,
      let moment = model.monitor.alertMoment()
    else { return nil }
    return context.text("checkin.next_time", ["when": when.moment(moment)])
  }

  var rule: String {
    if let hours = model.monitor.thresholdHours {
      return context.text("checkin.rule_hours", ["hours": String(hours)])
    }
    return context.text(
      "checkin.rule",
      [
        "time": QuarterHour.text(model.monitor.alertMinute),
        "days": context.text(Self.numbers[model.monitor.threshold - 2]),
        "ordinal": context.text(Self.ordinals[model.monitor.threshold - 2]),
      ])
  }

  /// The open alerts, latest first.
  var alerts: [SentenceView] {
    model.alerts.reversed().map { SentenceView(text: text(of: $0.alert, count: $0.notifiedCount)) }
  }

  private func text(of alert: Alert, count: Int) -> String {
    let day = when.moment(alert.claimedAt)
    if alert.timer != nil {
      let key = model.timer?.isHelp == true ? "checkin.help_alert" : "checkin.timer_alert"
      return context.text(key, ["when": day])
    }
    if count == 0 { return context.text("checkin.alert_unreachable", ["when": day]) }
    return context.text("checkin.alert", ["when": day], count: count)
  }

  var allClearText: String? {
    guard model.alert == nil, model.allClearCount > 0 else { return nil }
    return context.text("checkin.all_clear", count: model.allClearCount)
  }

  var reachedText: String? {
    guard let alert = model.alert, let at = alert.reachedAt else { return nil }
    let name = model.reachedBy?.shownName ?? context.text("checkin.a_contact")
    return context.text("checkin.reached", ["name": name, "when": when.moment(at)])
  }

  /// The progress of the alert with each contact.
  var progress: [ContactProgressView] {
    model.progress.map { one in
      let contact = model.contacts.first { $0.id == one.contact }
      return ContactProgressView(
        one, name: contact?.shownName ?? context.text("checkin_record.a_contact"),
        offers: model.channelOffers, when, context)
    }
  }

  var missedText: String? {
    let missed = model.monitor.missedDays(context.now)
    guard model.state == .ready, model.alert == nil, missed > 0 else { return nil }
    return context.text("checkin.missed", count: missed)
  }

  var pauseText: String? {
    pauseEnd.map { context.text("checkin.paused", ["day": $0]) }
  }

  /// The last day of the pause; nil if there is none now.
  private var pauseEnd: String? {
    guard model.monitor.isPaused(context.now) else { return nil }
    return model.monitor.pausedUntil.map { when.day($0) }
  }

  var undecryptableContacts: [SentenceView] {
    model.badContacts.map {
      SentenceView(
        text: context.text(
          $0.state == .refused ? "checkin.contact_refused" : "checkin.contact_bouncing",
          ["name": $0.shownName]))
    }
  }

  /// Channels by which a contact may not be notified.
  var doubtfulChannels: [SentenceView] {
    model.channels.compactMap { channel in
      guard let key = Self.doubt(channel.state(at: context.now)),
        let contact = model.contacts.first(where: { $0.id == channel.contact })
      else { return nil }
      let offer = model.channelOffers.find(channel.offer)
      return SentenceView(
        text: context.text(
          key,
          [
            "name": contact.shownName,
            "channel": offer?.label(in: context.language) ?? channel.offer,
          ]))
    }
  }

  private static func doubt(_ state: ContactChannel.State) -> String? {
    switch state {
    case .failing: "checkin.channel_failing"
    case .old: "checkin.channel_old"
    case .unproven, .works: nil
    }
  }

  /// Former partners who are still to be confirmed or removed as contacts.
  var unconfirmedContacts: [SentenceView] {
    model.contacts.filter(\.isAsked).map {
      SentenceView(text: context.text("contact_list.after_separation", ["name": $0.shownName]))
    }
  }

  var days: [WeekDayView] {
    (0..<7).map { offset in
      let day = model.today.adding(days: offset - 6)
      return WeekDayView(
        name: when.shortWeekday(day), isDone: model.week[day] != nil,
        isBefore: model.firstDay.map { day < $0 } ?? true, isToday: day == model.today)
    }
  }

  var label: String {
    switch model.state {
    case .done: context.text(model.canRepeat ? "checkin.again" : "checkin.done")
    case .ready, .missing: context.text("checkin.button")
    }
  }

  var missingSetup: String? {
    guard isMissing else { return nil }
    return context.text(
      name.isEmpty ? "checkin.missing_both" : "checkin.missing_contact")
  }

  /// The contacts who would be notified.
  var contacts: String {
    let names = model.contacts.filter(\.counts).map(\.shownName)
    if names.isEmpty { return context.text("checkin.contacts_none") }
    return names.joined(separator: context.text("list.comma"))
  }

  var doneAt: String? { model.week[model.today].map { when.time($0.tappedAt) } }

  /// The words for two to seven missed days, and for the day after each.
  private static let numbers = [
    "checkin.number.2", "checkin.number.3", "checkin.number.4", "checkin.number.5",
    "checkin.number.6", "checkin.number.7",
  ]
  private static let ordinals = [
    "checkin.ordinal.3", "checkin.ordinal.4", "checkin.ordinal.5", "checkin.ordinal.6",
    "checkin.ordinal.7", "checkin.ordinal.8",
  ]
}
