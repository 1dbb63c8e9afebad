import Core
import Foundation
import Testing

@testable import CheckIn

@Suite("Which contacts are notified when")
struct EscalationTests {
  private static let start = at("2026-01-13", "09:00")
  private let contacts = (0..<3).map { _ in ID<Contact>.random() }

  private func escalation(pause: Int64 = 0) -> Escalation {
    Escalation(
      pause: pause, roundAt: Self.start,
      recipients: contacts.map { Escalation.Recipient(contact: $0, means: [.mail]) })
  }

  private func after(_ seconds: Int64) -> Instant { Self.start.adding(seconds: seconds) }

  /// The escalation after the actions of a plan at a moment.
  private func advanced(_ escalation: Escalation, at now: Instant) -> Escalation {
    var escalation = escalation
    let plan = escalation.plan(at: now)
    if plan.beginsRound {
      escalation.round += 1
      escalation.roundAt = now
      escalation.notices = []
      return advanced(escalation, at: now)
    }
    escalation.notices += plan.steps.map {
      Escalation.Notice(contact: $0.contact, means: $0.means, at: now)
    }
    return escalation
  }

  private func notified(_ escalation: Escalation, at now: Instant) -> [ID<Contact>] {
    escalation.plan(at: now).steps.map(\.contact)
  }

  @Test("All are notified at once, in their order, and again a day later")
  func atOnce() {
    var escalation = escalation()
    #expect(notified(escalation, at: Self.start) == contacts)
    escalation = advanced(escalation, at: Self.start)
    #expect(escalation.plan(at: Self.start) == .init(next: after(.days(1))))
    #expect(escalation.plan(at: after(.days(1) - 1)).steps.isEmpty)
    #expect(escalation.plan(at: after(.days(1))).beginsRound)
  }

  @Test("In turn, each waits for the pause after the one before")
  func inTurn() {
    var escalation = escalation(pause: .hours(1))
    #expect(notified(escalation, at: Self.start) == [contacts[0]])
    escalation = advanced(escalation, at: Self.start)
    #expect(escalation.plan(at: Self.start) == .init(next: after(.hours(1))))
    // A worker that was late by ten minutes.
    let late = after(.minutes(70))
    escalation = advanced(escalation, at: late)
    #expect(escalation.notices.map(\.contact) == Array(contacts[0...1]))
    #expect(escalation.plan(at: late) == .init(next: after(.minutes(130))))
    escalation = advanced(escalation, at: after(.minutes(130)))
    #expect(escalation.notices.count == 3)
    #expect(escalation.plan(at: after(.minutes(130))) == .init(next: after(.days(1))))
  }

  @Test("A round longer than a day is over before the next one begins")
  func longRound() {
    var escalation = escalation(pause: .hours(12))
    for turn in 0..<3 { escalation = advanced(escalation, at: after(.hours(12) * Int64(turn))) }
    #expect(escalation.plan(at: after(.days(1))) == .init(next: after(.hours(36))))
  }

  @Test("Each contact is notified seven times at most")
  func rounds() {
    var escalation = escalation()
    var count = 0
    for day in 0..<30 {
      let before = escalation.round
      escalation = advanced(escalation, at: after(.days(Int64(day))))
      if day == 0 || escalation.round > before { count += 1 }
    }
    #expect(count == 7)
    #expect(escalation.plan(at: after(.days(60))) == .init())
  }

  @Test("A contact who is looking stops everything for two hours")
  func looking() {
    var escalation = advanced(escalation(pause: .minutes(30)), at: Self.start)
    escalation.lookingUntil = after(.hours(2))
    #expect(escalation.plan(at: after(.minutes(90))) == .init(next: after(.hours(2))))
    #expect(notified(escalation, at: after(.hours(2))) == [contacts[1]])
    // The longest time that an answer can have set, and a longer one, by a clock that ran ahead.
    #expect(escalation.plan(at: Self.start) == .init(next: after(.hours(2))))
    escalation.lookingUntil = after(.hours(2) + 1)
    #expect(escalation.plan(at: Self.start) == .init(next: after(.minutes(30))))
  }

  @Test("A contact whose mail was lost is notified again, and one who cannot be reached is skipped")
  func lost() {
    var escalation = escalation(pause: .hours(1))
    escalation.notices = [Escalation.Notice(contact: contacts[1], means: .mail, at: Self.start)]
    #expect(notified(escalation, at: Self.start) == [contacts[0]])
    escalation.recipients.removeFirst()
    #expect(escalation.plan(at: Self.start) == .init(next: after(.hours(1))))
    escalation.recipients = []
    #expect(escalation.plan(at: Self.start).steps.isEmpty)
  }

  // MARK: Several means

  /// Two contacts, the first of which has a channel beside mail.
  private func withChannel() -> (Escalation, channel: Escalation.Means) {
    let channel = Escalation.Means.channel(.random())
    var escalation = escalation()
    escalation.recipients = [
      Escalation.Recipient(contact: contacts[0], means: [.mail, channel]),
      Escalation.Recipient(contact: contacts[1], means: [.mail]),
    ]
    return (escalation, channel)
  }

  @Test("A contact who has not responded in half an hour is notified by the next means")
  func nextMeans() {
    var (escalation, channel) = withChannel()
    escalation = advanced(escalation, at: Self.start)
    #expect(escalation.plan(at: Self.start) == .init(next: after(.minutes(30))))
    let steps = escalation.plan(at: after(.minutes(30))).steps
    #expect(steps == [.init(contact: contacts[0], means: channel)])
    escalation = advanced(escalation, at: after(.minutes(30)))
    #expect(escalation.plan(at: after(.minutes(30))) == .init(next: after(.days(1))))
  }

  @Test("A contact who has responded needs no other means")
  func responded() {
    var (escalation, _) = withChannel()
    escalation = advanced(escalation, at: Self.start)
    escalation.responded = [contacts[0]]
    #expect(escalation.plan(at: after(.minutes(30))) == .init(next: after(.days(1))))
  }

  @Test("A channel that failed gives way to the next means at once, and is not used again")
  func failedChannel() {
    var (escalation, channel) = withChannel()
    let other = Escalation.Means.channel(.random())
    escalation.recipients[0] = .init(contact: contacts[0], means: [channel, other])
    escalation = advanced(escalation, at: Self.start)
    escalation.notices[0].isLost = true
    let steps = escalation.plan(at: after(60)).steps
    #expect(steps == [.init(contact: contacts[0], means: other)])
    escalation = advanced(escalation, at: after(60))
    #expect(escalation.plan(at: after(.hours(2))).steps.isEmpty)
  }

  @Test("In turn, the second means of one contact and the next contact have moments of their own")
  func meansInTurn() {
    var (escalation, channel) = withChannel()
    escalation.pause = .minutes(45)
    escalation = advanced(escalation, at: Self.start)
    #expect(escalation.plan(at: Self.start) == .init(next: after(.minutes(30))))
    escalation = advanced(escalation, at: after(.minutes(30)))
    #expect(escalation.notices.map(\.means) == [.mail, channel])
    #expect(escalation.plan(at: after(.minutes(30))) == .init(next: after(.minutes(45))))
    escalation = advanced(escalation, at: after(.minutes(45)))
    #expect(escalation.notices.map(\.contact) == [contacts[0], contacts[0], contacts[1]])
  }

  @Test("What a clock recorded that ran ahead delays no one")
  func clock() {
    var escalation = escalation(pause: .hours(1))
    let now = Self.start
    escalation.roundAt = after(.days(300))
    escalation.notices = [
      Escalation.Notice(contact: contacts[0], means: .mail, at: after(.days(300)))
    ]
    escalation.lookingUntil = after(.days(300))
    #expect(notified(escalation, at: now) == [contacts[1]])
    escalation.recipients.removeLast(2)
    #expect(escalation.plan(at: now).beginsRound)
  }

  @Test("A clock that is corrected by seconds notifies no one again, and no one early")
  func correction() {
    var escalation = advanced(escalation(pause: .hours(1)), at: Self.start)
    #expect(escalation.plan(at: after(-30)) == .init(next: after(.hours(1))))
    escalation.recipients.removeLast(2)
    #expect(escalation.plan(at: after(-30)) == .init(next: after(.days(1))))
    #expect(escalation.plan(at: after(-61)).beginsRound)
  }

  @Test("Without contacts there is nothing to do")
  func none() {
    let escalation = Escalation(roundAt: Self.start)
    #expect(escalation.plan(at: after(.days(2))) == .init())
  }
}
