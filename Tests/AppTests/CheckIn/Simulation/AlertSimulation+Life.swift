import Core
import Database
import HTTPTypes
import WebPush

@testable import App
@testable import CheckIn
@testable import Jobs
@testable import Notices

/// The doings of people, workers and services.
extension AlertSimulation {
  // MARK: People

  /// Does what a person was to do by now.
  func live(_ index: Int) throws {
    if let tap = people[index].taps.first, tap <= time {
      try giveSign(index)
      people[index].taps.removeFirst()
      people[index].lastTap = time
    }
    try useTimer(index)
  }

  /// A tap, or a call of the person's address.
  private func giveSign(_ index: Int) throws {
    let id = people[index].id
    let before = try storedTimer(of: id)
    let path = people[index].ping.flatMap { others.happens(60) ? $0 : nil }
    if let path {
      let answer = instance.browser().send(.post, path)
      if answer.status != 204 { violations.append("a call was answered by \(answer.status)") }
      signs += 1
    } else {
      try instance.tap(id)
    }
    guard let before else { return }
    // Only a tap ends the alert of a timer, and nothing but the user a timer that runs.
    let mayEnd = path == nil && before.alertedAt != nil
    if try storedTimer(of: id) == nil {
      people[index].timer = nil
      if !mayEnd { violations.append("a sign of life ended a timer") }
    } else if mayEnd, !hasSkewed {
      violations.append("a tap did not end the alert of a timer")
    }
  }

  private func storedTimer(of id: ID<Person>) throws -> CheckInTimer? {
    try instance.database.read { try instance.checkIn.timers.find(of: id, in: $0) }
  }

  /// Ends the running timer, or starts the next one.
  private func useTimer(_ index: Int) throws {
    let person = people[index]
    if let running = person.timer {
      if let end = running.end, end <= time { try endTimer(running, index) }
    } else if let planned = person.plannedTimers.first, planned.start <= time {
      people[index].plannedTimers.removeFirst()
      try startTimer(planned, index)
    }
  }

  private func startTimer(_ planned: PlannedTimer, _ index: Int) throws {
    let (id, now) = (people[index].id, instance.clock.now())
    let card = try instance.card(id)
    try instance.database.write {
      try TimerService(services: instance.checkIn).start(
        minutes: planned.minutes, graceMinutes: planned.grace, note: "", of: card, now: now,
        in: $0)
    }
    guard let timer = try storedTimer(of: id) else {
      violations.append("\(hours(time)): a timer was not started")
      return
    }
    people[index].timer = RunningTimer(
      id: timer.id, started: time,
      alertAt: time.adding(seconds: Int64(planned.minutes + planned.grace) * 60),
      due: timer.alertAt, end: planned.endAfter.map { time.adding(seconds: $0) })
  }

  private func endTimer(_ running: RunningTimer, _ index: Int) throws {
    let now = instance.clock.now()
    let card = try instance.card(people[index].id)
    let ended = try instance.database.write {
      try TimerService(services: instance.checkIn).end(card, only: running.id, now: now, in: $0)
    }
    if ended == nil { violations.append("\(hours(time)): a timer was gone") }
    people[index].timer = nil
  }

  /// One of those who were notified and have such a name answers.
  func answer(_ name: String, _ draws: inout ScheduleDraws) throws {
    let notified = try instance.database.read {
      try $0.rows(
        """
        SELECT DISTINCT c.id, c.name FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
        JOIN emergency_contacts c ON c.id = m.contact_id
        WHERE m.kind = 'alert' AND m.state = 'sent' AND a.ended_at IS NULL
          AND c.name LIKE \(name + "%") ORDER BY c.name
        """
      ) { (id: try $0.next(ID<Contact>.self), name: try $0.next(String.self)) }
    }
    guard let id = draws.one(of: notified)?.id else { return }
    let now = instance.clock.now()
    try instance.database.write { writer in
      guard let contact = try instance.checkIn.contacts.find(id, in: writer) else { return }
      _ = try AlertService(services: instance.checkIn).looking(by: contact, now: now, in: writer)
    }
  }

  /// A channel is removed by which an open alert went.
  func removeChannel() throws {
    let used = try instance.database.read {
      try $0.rows(
        """
        SELECT DISTINCT h.id, c.name FROM contact_mails m JOIN alerts a ON a.id = m.alert_id
        JOIN contact_channels h ON h.id = m.channel_id
        JOIN emergency_contacts c ON c.id = h.contact_id
        WHERE m.kind = 'alert' AND m.state = 'sent' AND a.ended_at IS NULL
          AND h.removed_at IS NULL ORDER BY c.name
        """
      ) { (id: try $0.next(ID<ContactChannel>.self), name: try $0.next(String.self)) }
    }
    guard let id = others.one(of: used)?.id else { return }
    let now = instance.clock.now()
    try instance.database.write { writer in
      guard let channel = try instance.checkIn.channels.find(id, in: writer) else { return }
      try ChannelService(services: instance.checkIn).remove(channel, now: now, in: writer)
    }
  }

  // MARK: Workers

  func work() throws {
    try instance.work(WorkerQueues.scan)
    try instance.work(WorkerQueues.everythingElse)
    if isUp(.mail) { try instance.work(WorkerQueues.mail) }
    sender.setDown(!isUp(.service))
    sender.hang(at: isPushUp ? "nothing" : TestClient.pushEndpoint)
    try instance.instance.features.checkIn.channelDispatcher.sendDue()
    try push()
  }

  /// Sends the pushes to members that are due.
  private func push() throws {
    instance.pushes.answer(isPushUp ? .sent : .later(after: nil, because: "the service is down"))
    try instance.instance.features.notices.dispatcher.sendDue()
    let sent = instance.pushes.take()
    if isPushUp { for push in sent { watch(push) } }
  }

  /// A worker is killed with work that it has claimed.
  func die() throws {
    let now = instance.clock.now()
    let kinds = Dictionary(
      instance.instance.jobs.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for queue in [WorkerQueues.scan, WorkerQueues.mail] {
      _ = try instance.instance.jobStore.claim(kinds, queue: queue, now: now)
    }
    _ = try instance.database.write {
      try instance.checkIn.channels.claim(
        until: now.adding(seconds: ChannelDispatcher.lease), limit: 5, now: now, in: $0)
    }
    _ = try PushOutbox().claim(in: instance.database, busy: [], now: now)
  }
}
