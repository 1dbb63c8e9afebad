import Core
import Database

/// Separating, undoing it together, and the end of the undo period
/// (docs/developer/product.md#parting).
struct SeparationService {
  /// How long both partners together can undo a separation, in s.
  static let undoable: Int64 = .days(30)

  let database: Database
  let partings: SeparationStore
  let members: MembershipStore
  let people: PersonStore
  let mails: PairMailer
  /// The language of mails to recipients without a language setting.
  let language: Language
  let participants: @Sendable () -> [any AccountParticipant]

  /// Freezes the viewer's couple and stores the viewer's choice about the partner as emergency
  /// contact. The partner is asked later. Returns false if the couple is not active (any more): the
  /// partner may have separated first.
  func part(
    _ viewer: Viewer, contact: PartnerContactChoice = .undecided, now: Instant
  ) throws -> Bool {
    try database.write { writer in
      let endsAt = now.adding(seconds: Self.undoable)
      guard
        let couple = try partings.part(viewer.id, now: now, endsAt: endsAt, in: writer)
      else { return false }
      for (person, partner) in try pairs(in: couple, writer) {
        for participant in participants() {
          try participant.parted(
            person, from: partner, person == viewer.id ? contact : .undecided, now: now,
            in: writer)
        }
      }
      try notifyBoth(.parted, of: couple, now: now, in: writer)
      return true
    }
  }

  /// The result of asking to undo a separation.
  enum SeparationUndo {
    case requested
    case undone
    case tooLate
  }

  /// Records that one partner asks to undo the separation, or undoes it if the other has asked
  /// already.
  func undo(_ viewer: Viewer, now: Instant) throws -> SeparationUndo {
    try database.write { writer in
      guard let parting = try partings.find(of: viewer.id, now: now, in: writer) else {
        return .tooLate
      }
      guard let asker = parting.undoAskedBy else {
        try partings.setAsker(viewer.id, of: parting.couple, in: writer)
        try notifyBoth(
          .undoAsked(by: viewer.avatar.name), of: parting.couple, now: now, in: writer)
        return .requested
      }
      if asker == viewer.id { return .requested }
      return try undo(parting.couple, now: now, in: writer) ? .undone : .tooLate
    }
  }

  /// Withdraws the viewer's own request to undo.
  func withdraw(_ viewer: Viewer, now: Instant) throws {
    try database.write { writer in
      let parting = try partings.find(of: viewer.id, now: now, in: writer)
      guard let parting, parting.undoAskedBy == viewer.id else { return }
      try partings.setAsker(nil, of: parting.couple, in: writer)
    }
  }

  /// Makes the couple active again for its two members, and notifies them by mail.
  func undo(_ couple: ID<Couple>, now: Instant, in writer: WriteTransaction) throws -> Bool {
    guard try partings.undo(couple, in: writer) else { return false }
    for (person, partner) in try pairs(in: couple, writer) {
      for participant in participants() {
        try participant.reunited(person, with: partner, in: writer)
      }
    }
    try notifyBoth(.undone, of: couple, now: now, in: writer)
    return true
  }

  func find(of viewer: Viewer, now: Instant) throws -> Separation? {
    try database.read { try partings.find(of: viewer.id, now: now, in: $0) }
  }

  /// Ends the undo period: both members leave the couple, which stays frozen.
  func finish(_ couple: ID<Couple>, now: Instant, in writer: WriteTransaction) throws {
    try notifyBoth(.final, of: couple, now: now, in: writer)
    try partings.end(couple, in: writer)
    for person in try members.people(in: couple, writer) {
      try members.leave(person, now: now, in: writer)
      try members.returnToOwnCouple(person, now: now, in: writer)
      if try BlockStore.keepsApart(couple, in: writer) {
        // A block needs a couple to belong to.
        try members.standAlone(person, now: now, in: writer)
      }
      let back = try members.of(person, in: writer)?.couple
      guard let back, back != couple else { continue }
      try BlockStore.carry(from: couple, to: back, in: writer)
      for participant in participants() {
        try participant.changed(person, from: couple, to: back, in: writer)
      }
    }
  }

  /// Ends the undo periods that have expired, for the job.
  func finishDue(now: Instant) throws {
    for couple in try database.read({ try partings.due(now: now, in: $0) }) {
      try database.write { writer in
        // Undone, or ended by another worker, in the meantime.
        guard try partings.due(now: now, in: writer).contains(couple) else { return }
        try finish(couple, now: now, in: writer)
      }
    }
  }

  /// The page where a user decides about their partner as emergency contact; nil if there is
  /// nothing to decide.
  func contactPath(
    _ person: ID<Person>, in couple: ID<Couple>, _ reader: ReadTransaction
  ) throws -> String? {
    guard let (_, partner) = try pairs(in: couple, reader).first(where: { $0.0 == person }) else {
      return nil
    }
    for participant in participants() {
      if let path = try participant.contactPath(person, partner: partner, in: reader) {
        return path
      }
    }
    return nil
  }

  /// Each member paired with the other.
  private func pairs(
    in couple: ID<Couple>, _ reader: ReadTransaction
  ) throws -> [(ID<Person>, ID<Person>)] {
    let people = try members.people(in: couple, reader)
    return people.count == 2 ? [(people[0], people[1]), (people[1], people[0])] : []
  }

  /// Mails both members; a deleted one gets no mail (docs/developer/deletion-and-export.md).
  private func notifyBoth(
    _ step: PairMailer.Step, of couple: ID<Couple>, now: Instant, in writer: WriteTransaction
  ) throws {
    let name = try partings.name(of: couple, in: writer)
    for person in try members.people(in: couple, writer) {
      guard try members.of(person, in: writer) != nil,
        let recipient = try people.recipient(person, language: language, in: writer)
      else { continue }
      try mails.notify(
        step, of: (couple, name), contactPath: contactPath(person, in: couple, writer),
        to: recipient, now: now, in: writer)
    }
  }
}
