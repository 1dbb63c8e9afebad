import Core
import Database
import Web

/// Changes users' time zones and notifies the participants, which recompute what is counted in
/// days.
public struct TimeZoneService: TimeZoneRecorder {
  private let database: Database
  private let store = TimeZoneStore()
  private let participants: @Sendable () -> [any AccountParticipant]

  public init(
    database: Database, participants: @escaping @Sendable () -> [any AccountParticipant]
  ) {
    self.database = database
    self.participants = participants
  }

  /// Sets the zone that a user chose.
  public func choose(
    _ name: String, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try store.choose(name, of: person, in: writer)
    try moved(person, now: now, in: writer)
  }

  /// Stores the zone that a browser or an app reports, if none is known yet.
  public func setDetected(
    _ name: String, of person: ID<Person>, now: Instant, in writer: WriteTransaction
  )
    throws
  {
    if try store.setDetected(name, of: person, in: writer) {
      try moved(person, now: now, in: writer)
    }
  }

  public func storeDetected(_ name: String, of person: ID<Person>, now: Instant) throws {
    try database.write { try setDetected(name, of: person, now: now, in: $0) }
  }

  /// Changes the zone of a traveller to the local one.
  func move(to name: String, _ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws
  {
    try store.move(to: name, person, in: writer)
    try moved(person, now: now, in: writer)
  }

  /// Keeps a traveller's zone and stops asking in that zone.
  func keepZone(in other: String, _ person: ID<Person>, in writer: WriteTransaction) throws {
    try store.keepZone(in: other, person, in: writer)
  }

  /// Removes the user's choice; the zone is then the browser's, if it reports one.
  func follow(
    browser name: String?, _ person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try store.follow(reported: name, person, in: writer)
    try moved(person, now: now, in: writer)
  }

  private func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    for participant in participants() { try participant.moved(person, now: now, in: writer) }
  }
}
