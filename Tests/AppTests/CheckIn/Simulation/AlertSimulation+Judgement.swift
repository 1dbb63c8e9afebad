import Core
import Database
import Mail
import WebPush

@testable import App
@testable import CheckIn

/// The judgement: each alert arrives, once, and none about a user who has given a sign of life.
extension AlertSimulation {
  // MARK: While it runs

  /// No alert is sent about a user who has checked in, or has ended the timer.
  func watch() throws {
    let sent = try instance.database.read {
      try $0.rows(
        """
        SELECT m.mail_id, m.user_id, a.timer_id FROM contact_mails m
        LEFT JOIN alerts a ON a.id = m.alert_id WHERE m.kind = 'alert' AND m.state = 'sent'
        """
      ) {
        (
          mail: try $0.next(ID<QueuedMail>.self), person: try $0.next(ID<Person>.self),
          timer: try $0.next(ID<CheckInTimer>?.self)
        )
      }
    }
    for message in sent where known.insert(message.mail).inserted {
      alerts += 1
      guard let person = people.first(where: { $0.id == message.person }) else { continue }
      if let timer = message.timer {
        timerAlerts += 1
        if person.timer?.id != timer || !isOver(person) {
          violations.append("\(hours(time)): alerted about a timer that has ended, or runs")
        }
      } else if !isSilent(person) {
        let silence = time.seconds(since: person.lastTap)
        violations.append("\(hours(time)): alerted \(silence / 60) min after a check-in")
      }
    }
  }

  /// No push is sent to another browser, or about a user who is well.
  func watch(_ push: PushMessage) {
    guard let page = push.url, let index = people.firstIndex(where: { $0.partner?.page == page })
    else { return }
    pushes += 1
    people[index].partner?.pushes += 1
    people[index].partner?.lastPush = time
    if push.endpoint.address != people[index].partner?.endpoint {
      violations.append("\(hours(time)): pushed to another browser")
    }
    if !isSilent(people[index]), !isOver(people[index]) {
      violations.append("\(hours(time)): pushed about a user who is well")
    }
  }

  /// Whether the last sign of life is long enough ago for an alert. A check-in by a clock that was
  /// wrong counts for the time that it showed.
  private func isSilent(_ person: Member) -> Bool {
    let allowance = hasSkewed ? Self.largestSkew : 0
    return time.seconds(since: person.lastTap) >= .hours(Int64(person.hours ?? 48)) - allowance
  }

  /// Whether a timer has run out that the user has not ended. It may have been started by a clock that
  /// was wrong, and end by another one that was wrong by too little for being noticed.
  private func isOver(_ person: Member) -> Bool {
    let allowance = hasSkewed ? Self.largestSkew + Outage.minimumLength : 0
    return person.timer.map { $0.alertAt.adding(seconds: -allowance) <= time } ?? false
  }

  func hours(_ moment: Instant) -> String {
    "\(Double(moment.seconds(since: begin) / 36) / 100) h"
  }

  // MARK: At the end

  func judge() throws {
    for person in people { try judgeArrival(person) }
    for person in people {
      if let partner = person.partner { try judge(partner, of: person) }
    }
    try judgeMessages()
    violations += try instance.problems()
  }

  /// Every contact was told of a silence, and of a timer that has run out.
  private func judgeArrival(_ person: Member) throws {
    if time.seconds(since: person.lastTap) > Self.latest {
      let missing = try missing(person, "a.timer_id IS NULL")
      if missing > 0 {
        violations.append("\(missing) contacts not alerted; silent since \(hours(person.lastTap))")
      }
      judgePush(to: person, since: person.lastTap)
    }
    if let timer = person.timer, time.seconds(since: timer.due) > Self.latestOfTimer {
      let missing = try missing(person, "a.timer_id = \(timer.id)")
      if missing > 0 {
        violations.append("\(missing) contacts not alerted; timer until \(hours(timer.alertAt))")
      }
      judgePush(to: person, since: timer.started)
    }
  }

  /// The number of contacts who were sent no message of an open alert.
  private func missing(_ person: Member, _ alert: Query) throws -> Int {
    try instance.number(
      """
      SELECT count(*) FROM emergency_contacts c WHERE c.user_id = \(person.id)
        AND NOT EXISTS (SELECT 1 FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
          WHERE m.contact_id = c.id AND m.kind = 'alert' AND m.state = 'sent'
            AND a.ended_at IS NULL AND \(alert))
      """)
  }

  private func judgePush(to person: Member, since moment: Instant) {
    guard let partner = person.partner else { return }
    if partner.lastPush.map({ $0 < moment }) ?? true {
      violations.append("no push to a partner since \(hours(moment))")
    }
  }

  /// A partner was pushed once for each mail at most, and has one notice while an alert is open.
  private func judge(_ partner: Partner, of person: Member) throws {
    let mails = try instance.number(
      """
      SELECT count(*) FROM contact_mails
      WHERE contact_id = \(partner.contact) AND kind = 'alert' AND channel_id IS NULL
      """)
    if partner.pushes > mails {
      violations.append("\(partner.pushes) pushes to a partner for \(mails) mails")
    }
    let notices = try instance.number(
      """
      SELECT count(*) FROM notifications
      WHERE user_id = \(partner.id) AND kind = 'partner_silent'
      """)
    let open = try instance.number(
      "SELECT count(*) FROM alerts WHERE user_id = \(person.id) AND ended_at IS NULL")
    let told = try instance.number(
      """
      SELECT count(*) FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
      WHERE m.contact_id = \(partner.contact) AND m.kind = 'alert' AND m.state <> 'recalled'
        AND a.ended_at IS NULL
      """)
    let isWrong = open == 0 ? notices > 0 : told > 0 && notices != 1
    if isWrong {
      violations.append("\(notices) notices to a partner; \(open) alerts are open")
    }
  }

  private func judgeMessages() throws {
    let doubled = try instance.number(
      """
      SELECT count(*) FROM (SELECT 1 FROM contact_mails
        WHERE kind = 'alert' AND state IN ('waiting', 'sent')
        GROUP BY alert_id, round, contact_id, channel_id HAVING count(*) > 1) AS counted
      """)
    if doubled > 0 { violations.append("\(doubled) contacts alerted twice in a round") }
    // Of alerts that end at once, one all-clear is mailed.
    let unclear = try instance.number(
      """
      SELECT count(*) FROM (SELECT DISTINCT m.alert_id, m.contact_id, a.ended_at
        FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
        WHERE m.kind = 'alert' AND m.state = 'sent' AND a.ended_at IS NOT NULL) told
      WHERE NOT EXISTS (SELECT 1 FROM contact_mails c WHERE c.contact_id = told.contact_id
        AND (c.alert_id = told.alert_id OR c.queued_at = told.ended_at)
        AND c.kind = 'all-clear' AND c.state = 'sent')
      """)
    if unclear > 0 { violations.append("\(unclear) contacts without an all-clear") }
    // It may have been given up.
    let unclearChannels = try instance.number(
      """
      SELECT count(*) FROM (SELECT DISTINCT m.channel_id, a.ended_at
        FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
        WHERE m.kind = 'alert' AND m.state = 'sent' AND m.channel_id IS NOT NULL
          AND m.round >= a.first_round AND a.ended_at IS NOT NULL) told
      WHERE NOT EXISTS (SELECT 1 FROM contact_mails c WHERE c.channel_id = told.channel_id
        AND c.queued_at = told.ended_at AND c.kind = 'all-clear' AND c.state <> 'recalled')
      """)
    if unclearChannels > 0 { violations.append("\(unclearChannels) channels without an all-clear") }
  }
}
