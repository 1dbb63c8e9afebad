import Accounts
import Core
import Database
import Foundation
import Jobs
import Mail
import Secrets

/// The server's side of a watchman: answers its questions, takes over what it has sent, and holds
/// alerts while it may have sent them (docs/developer/watchman.md).
struct WatchmanService {
  /// The word in the record for a message that the watchman sent.
  static let name = "watchman"
  /// The number of users in one answer.
  static let batch = 200
  /// How long ago the watchman must have asked for alerts to be sent, in s: it asks every 30 s.
  static let fresh: Int64 = .minutes(5)

  let services: CheckInEnvironment

  // MARK: Holding alerts

  /// Whether it is known which alerts the watchman has sent, and it will soon know what is sent here:
  /// it has asked lately. If it doesn't ask for as long as it waits for this server, it is taken for
  /// dead.
  static func isSettled(_ state: WatchmanStore.State, now: Instant) -> Bool {
    let age = now.seconds(since: state.askedAt)
    if 0...min(fresh, state.silentAfter / 2) ~= age { return true }
    return state.waitingSince.map { now.seconds(since: $0) >= state.silentAfter } ?? false
  }

  /// The same; true without a watchman.
  func isSettled(now: Instant, in reader: ReadTransaction) throws -> Bool {
    guard services.watchmanKey != nil, let state = try services.watchman.state(in: reader) else {
      return true
    }
    return Self.isSettled(state, now: now)
  }

  /// Records at each scan since when alerts have waited for the watchman; a time in which no scan ran
  /// does not count. What a dead watchman was to send is sent here. Returns whether alerts still
  /// wait.
  func holds(lastScan: Instant?, now: Instant) throws -> Bool {
    let database = services.site.database
    guard services.watchmanKey != nil,
      let state = try database.read({ try services.watchman.state(in: $0) })
    else { return false }
    let hasRun = lastScan.map { abs(now.seconds(since: $0)) <= CheckInHealth.latest } ?? false
    if !Self.isSettled(state, now: now) {
      if let since = state.waitingSince, since <= now, hasRun { return true }
    } else if state.waitingSince == nil {
      return false
    }
    return try database.write { writer in
      // The watchman may have asked meanwhile.
      guard let state = try services.watchman.state(in: writer) else { return false }
      if !Self.isSettled(state, now: now) {
        try services.watchman.wait(since: now, in: writer)
        return true
      }
      if state.waitingSince != nil {
        try services.watchman.recallUnsent(now: now, in: writer)
      }
      return false
    }
  }

  // MARK: Answers

  func answer(
    _ question: WatchmanQuestion, _ key: SharedKey, now: Instant
  ) throws -> WatchmanAnswer {
    try services.site.database.write { writer in
      let lastScan = try JobStore.lastBeat(CheckInScan.heartbeat, in: writer)
      try services.watchman.begin(silentAfter: question.silentAfter, in: writer)
      var (recalled, settled): ([String], [String]) = ([], [])
      for report in question.told.prefix(WatchmanQuestion.maximumReports) {
        let unwanted = try take(report, now: now, in: writer)
        recalled += unwanted
        let waiting = report.messages.filter { $0.state == ContactMailState.waiting.rawValue }
        if waiting.isEmpty { settled.append(report.id) }
      }
      let state = try services.watchman.state(in: writer)
      let (version, acknowledged) = (state?.version ?? 0, state?.acknowledged ?? 0)
      // A watchman that begins, or one of the two was restored from a backup. Changes up to
      // `acknowledged` are forgotten: another watchman has them, or this one had.
      let replacesAll =
        question.after == 0 || question.after > version || question.after < acknowledged
      if replacesAll {
        try services.watchman.changeAll(after: max(question.after, version), in: writer)
      } else {
        try services.watchman.forget(until: question.after, in: writer)
        if question.isComplete { try services.watchman.asked(now: now, in: writer) }
      }
      let changes = try services.watchman.changes(limit: Self.batch + 1, in: writer)
      let sent = changes.prefix(Self.batch)
      return WatchmanAnswer(
        version: try sent.last?.version ?? services.watchman.state(in: writer)?.version ?? version,
        replacesAll: replacesAll, hasMore: changes.count > Self.batch,
        isScanning: lastScan.map { abs(now.seconds(since: $0)) <= CheckInHealth.latest } ?? false,
        heldUntil: try services.outages.suspension(now: now, in: writer).map {
          // An end that is unknown is at most a day away.
          let until = $0.until ?? now.adding(seconds: Outage.maximumClockGracePeriod)
          return until.milliseconds
        },
        entries: try sent.map { change in
          WatchmanAnswer.Entry(
            person: change.person.description,
            alerts: try alerts(of: change.person, key, now: now, in: writer))
        },
        recalled: recalled, settled: settled)
    }
  }

  /// The alerts that a user's silence would lead to.
  private func alerts(
    of person: ID<Person>, _ key: SharedKey, now: Instant, in reader: ReadTransaction
  ) throws -> [WatchmanAnswer.Alert] {
    guard let card = try services.people.card(person, in: reader),
      let monitor = try services.monitor(over: card, now: now, in: reader)
    else { return [] }
    let contacts = try services.contacts.all(of: person, in: reader).filter(\.counts)
    let open = try services.alerts.open(of: person, in: reader)
    let timer = try services.timers.find(of: person, in: reader)
    var found: [(reference: AlertReference, moment: Instant, contacts: [Contact])] = []
    for alert in open where alert.reachedAt == nil {
      // Those who wait for their turn, or for a mail server.
      let told = Set(try services.alerts.toldContacts(of: alert.id, in: reader))
      found.append(
        (
          alert.timer.map { .timer($0) } ?? .silence(alert.silence), alert.claimedAt,
          contacts.filter { !told.contains($0.id) }
        ))
    }
    if !monitor.isAlerted, let silence = monitor.countedFrom, let moment = monitor.alertMoment() {
      found.append((.silence(silence), moment, contacts))
    }
    if let timer, timer.alertedAt == nil {
      found.append((.timer(timer.id), timer.alertAt, contacts))
    }
    return try found.filter { !$0.contacts.isEmpty }.map { reference, moment, contacts in
      let alert = try watched(
        card, monitor, reference, timer, contacts, at: moment, in: reader)
      return WatchmanAnswer.Alert(
        reference: reference.text, moment: moment.milliseconds,
        sealed: Data(try alert.sealed(for: person, at: moment, with: key)))
    }
  }

  private func watched(
    _ card: UserSummary, _ monitor: CheckInMonitor, _ reference: AlertReference,
    _ timer: CheckInTimer?, _ contacts: [Contact], at moment: Instant,
    in reader: ReadTransaction
  ) throws -> WatchedAlert {
    let settings = try services.monitors.settings(of: card.id, in: reader)
    let channels = try services.channels.all(of: card.id, in: reader).filter {
      $0.provenAt != nil && $0.offer != ChannelOffer.pushName
        && services.channelOffers.find($0.offer) != nil
    }
    let timer = reference == timer.map { .timer($0.id) } ? timer : nil
    let note = [timer?.note ?? "", settings?.note ?? ""].filter { !$0.isEmpty }
      .joined(separator: "\n")
    return WatchedAlert(
      name: card.name,
      language: (settings?.contactLanguage ?? services.language(of: card)).rawValue,
      zone: services.personZone(of: card).name, missedDays: monitor.missedDays(moment),
      thresholdHours: monitor.thresholdHours, lastSeen: monitor.lastTap?.milliseconds,
      timerEnd: timer?.endsAt.milliseconds, isHelp: timer?.isHelp,
      contacts: contacts.map { contact in
        let token = services.links.token(for: contact.id)
        return WatchedAlert.Contact(
          id: contact.id.description, name: contact.name,
          email: contact.receivesMail ? contact.email : "", note: contact.isAsked ? "" : note,
          path: CheckInLinks.contact(token), stopPath: CheckInLinks.stop(token),
          channels: channels.filter { $0.contact == contact.id }.map {
            WatchedAlert.Channel(
              id: $0.id.description, offer: $0.offer, recipient: $0.recipient)
          })
      })
  }
}
