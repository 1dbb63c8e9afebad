import Core

/// Keeps the time zone that a browser tells of a person of whom none is known: `Accounts` does, so
/// that `Web` needs no table of people.
public protocol TimeZoneRecorder: Sendable {
  func keepTold(_ name: String, of person: ID<Person>, now: Instant) throws
}
