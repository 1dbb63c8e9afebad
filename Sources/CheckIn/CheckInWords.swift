import Accounts
import Basics
import Foundation
import Web

/// The words of `/checkin` for what is known of somebody, in their language.
struct CheckInWords {
  let context: Context
  let facts: CheckInFacts

  var when: When { When(context) }

  var isMissing: Bool { facts.state == .missing }
  var name: String { facts.card?.name ?? "" }

  var greeting: String {
    if facts.state == .done { return context.text("checkin.see_you", ["name": name]) }
    if name.isEmpty { return context.text("checkin.welcome") }
    let offset = Int64(context.timeZone.secondsFromGMT(for: context.now.date))
    let hour = (context.now.milliseconds / 1000 + offset) / 3600 % 24
    let part = hour < 5 ? "evening" : hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening"
    return context.text("checkin.\(part)", ["name": name])
  }

  var date: String {
    let weekday = context.text("weekday.\(facts.today.weekday)")
    return context.text(
      "checkin.date",
      [
        "weekday": weekday, "day": when.day(facts.today),
        "city": TimeZoneChoices.city(context.timeZone.identifier),
      ])
  }

  func clock(_ instant: Instant) -> String {
    let offset = Int64(context.timeZone.secondsFromGMT(for: instant.date))
    return QuarterHour.text(Int((instant.milliseconds / 1000 + offset) / 60 % 1440))
  }

  var lastTime: String? {
    guard let last = facts.last, facts.state == .ready else { return nil }
    let time = clock(last.tappedAt)
    switch facts.today.days(since: last.day) {
    case 1: return context.text("checkin.last_yesterday", ["time": time])
    default: return context.text("checkin.last_day", ["day": when.day(last.day), "time": time])
    }
  }

  /// The zone that the browser is in, when it is not the one that days are counted in.
  var otherZone: String? {
    guard let own = context.viewer?.timeZone,
      let told = context.cookies.value(named: "tz")?.removingPercentEncoding, told != own,
      let there = TimeZone(identifier: told), let here = TimeZone(identifier: own),
      there.secondsFromGMT(for: context.now.date) != here.secondsFromGMT(for: context.now.date)
    else { return nil }
    return told
  }

  var rule: String {
    context.text(
      "checkin.rule",
      [
        "time": QuarterHour.text(facts.watch.alertMinute),
        "days": context.text("checkin.number.\(facts.watch.threshold)"),
        "ordinal": context.text("checkin.ordinal.\(facts.watch.threshold + 1)"),
      ])
  }

  var alertWords: String? {
    guard let alert = facts.alert else { return nil }
    let day = when.moment(alert.claimedAt)
    if facts.told == 0 { return context.text("checkin.alert_nobody", ["when": day]) }
    return context.text("checkin.alert", ["when": day], count: facts.told)
  }

  var reachedWords: String? {
    guard let alert = facts.alert, let at = alert.reachedAt else { return nil }
    let name = facts.reachedBy?.shownName ?? context.text("checkin.a_contact")
    return context.text("checkin.reached", ["name": name, "when": when.moment(at)])
  }

  var missedWords: String? {
    let missed = facts.watch.missedDays(context.now)
    guard facts.state == .ready, facts.alert == nil, missed > 0 else { return nil }
    return context.text("checkin.missed", count: missed)
  }

  var pauseWords: String? {
    guard facts.watch.isPaused(context.now), let until = facts.watch.pausedUntil else { return nil }
    return context.text("checkin.paused", ["day": when.day(until)])
  }

  var badWords: [WordsView] {
    facts.badContacts.map {
      WordsView(
        words: context.text(
          $0.state == .refused ? "checkin.contact_refused" : "checkin.contact_bouncing",
          ["name": $0.shownName]))
    }
  }

  var days: [WeekDayView] {
    (0..<7).map { offset in
      let day = facts.today.adding(days: offset - 6)
      return WeekDayView(
        name: context.text("weekday_short.\(day.weekday)"), isDone: facts.week[day] != nil,
        isToday: day == facts.today)
    }
  }

  var label: String {
    switch facts.state {
    case .done: context.text("checkin.done")
    case .ready, .missing: context.text("checkin.button")
    }
  }

  var whatIsMissing: String? {
    guard isMissing else { return nil }
    return context.text(
      name.isEmpty ? "checkin.missing_both" : "checkin.missing_contact")
  }

  var contacts: String {
    facts.contacts.map(\.shownName).joined(separator: context.text("list.comma"))
  }

  var doneAt: String? { facts.week[facts.today].map { clock($0.tappedAt) } }
}
