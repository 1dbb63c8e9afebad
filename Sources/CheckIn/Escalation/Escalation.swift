import Core

/// Which contacts are notified of an open alert next, by what, and when
/// (docs/developer/check-in.md#escalation). Uses no clock and no database.
struct Escalation: Sendable {
  /// The time after which contacts are notified again if none of them responds, in s.
  static let roundLength: Int64 = .days(1)
  /// How often each contact is notified at most.
  static let maximumRounds = 7
  /// How long a contact who is looking for the user stops the escalation, in s.
  static let lookingTime: Int64 = .hours(2)
  /// The time after which a contact who has not responded is notified by the next means, in s.
  static let patience: Int64 = .minutes(30)

  /// A clock that is set back by less, in s, is taken for corrected: what it recorded is still right.
  static let correction: Int64 = .minutes(1)

  /// A way to reach a contact.
  enum Means: Sendable, Hashable {
    case mail
    case channel(ID<ContactChannel>)
  }

  struct Recipient: Sendable {
    let contact: ID<Contact>
    /// In the order of use; never empty.
    let means: [Means]
  }

  /// A message that notified a contact in the current round.
  struct Notice: Sendable {
    let contact: ID<Contact>
    let means: Means
    let at: Instant
    /// It will not arrive, and the next means is used at once.
    var isLost = false
  }

  struct Step: Sendable, Equatable {
    let contact: ID<Contact>
    let means: Means
  }

  /// The next actions.
  struct Plan: Sendable, Equatable {
    /// The messages to send now, in order.
    var steps: [Step] = []
    /// Whether the next round begins now.
    var beginsRound = false
    /// When there is something to do next, if nothing changes; nil for never.
    var next: Instant?
  }

  /// The time between one contact and the next, in s; 0 if all are notified at once.
  var pause: Int64 = 0
  /// The number of the current round, from 1.
  var round = 1
  /// When the current round began.
  var roundAt: Instant
  /// Until when a contact is looking for the user.
  var lookingUntil: Instant?
  /// The contacts who can be notified, in order.
  var recipients: [Recipient] = []
  /// Oldest first.
  var notices: [Notice] = []
  /// Those who have opened their page, or answered, in the current round.
  var responded: Set<ID<Contact>> = []

  /// The actions at `now`. Those who were notified and can no longer be reached are skipped. What a
  /// clock recorded that ran ahead delays nothing.
  func plan(at now: Instant) -> Plan {
    if let lookingUntil, lookingUntil > now,
      lookingUntil <= now.adding(seconds: Self.lookingTime)
    {
      return Plan(next: lookingUntil)
    }
    var plan = Plan()
    var moments: [Instant] = []
    func take(_ contact: ID<Contact>, _ means: Means, due: Instant) -> Bool {
      guard due <= now else {
        moments.append(due)
        return false
      }
      plan.steps.append(Step(contact: contact, means: means))
      return true
    }
    // When the contact before was first notified.
    var before: Instant?
    for recipient in recipients {
      let sent = notices.filter { $0.contact == recipient.contact }
      let unused = recipient.means.first { means in !sent.contains { $0.means == means } }
      guard let first = sent.first, let latest = sent.last else {
        let due = before.map { $0.adding(seconds: pause) } ?? now
        guard let unused, take(recipient.contact, unused, due: due) else { break }
        before = now
        continue
      }
      if !isAhead(first.at, of: now) { before = max(before ?? first.at, first.at) }
      guard let unused, !responded.contains(recipient.contact) else { continue }
      let isOver = latest.isLost || isAhead(latest.at, of: now)
      _ = take(
        recipient.contact, unused,
        due: isOver ? now : latest.at.adding(seconds: Self.patience))
    }
    plan.next = moments.min()
    if plan.steps.isEmpty, moments.isEmpty, !notices.isEmpty, round < Self.maximumRounds {
      planRound(after: before, at: now, &plan)
    }
    return plan
  }

  /// Whether a moment was recorded by a clock that ran ahead.
  private func isAhead(_ moment: Instant, of now: Instant) -> Bool {
    moment.seconds(since: now) > Self.correction
  }

  private func planRound(after last: Instant?, at now: Instant, _ plan: inout Plan) {
    let lastTurn = last.map { $0.adding(seconds: pause) } ?? now
    let due =
      isAhead(roundAt, of: now) ? now : max(roundAt.adding(seconds: Self.roundLength), lastTurn)
    plan.beginsRound = due <= now
    plan.next = due
  }
}
