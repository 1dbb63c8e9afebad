import Core

/// Stores the time zone that a browser reports for a person without one. Implemented by `Accounts`,
/// so that `Web` needs no table of people.
public protocol TimeZoneRecorder: Sendable {
  func storeDetected(_ name: String, of person: ID<Person>, now: Instant) throws
}
