import Core
import Database
import Foundation
import Testing

@testable import App
@testable import CheckIn

extension TestInstance {
  /// The only user of this name.
  func person(_ name: String) throws -> ID<Person> {
    try #require(try people(named: name).first)
  }

  /// The browser of a member who has just checked in for the first time, with Kai as contact.
  @discardableResult
  func checkedInMember(_ name: String = "sam") throws -> TestClient {
    try alone(name)
    let browser = try signedIn(name)
    let answer = browser.begin(name.capitalized, contact: "kai@example.test")
    try #require(answer.status == 303, "\(answer.text)")
    return browser
  }

  /// Check-ins on days, at 08:00 in Taipei.
  func checkIns(
    of person: ID<Person>, on days: [LocalDay], isOffline: Bool = false
  ) throws {
    let zone = try #require(TimeZone(identifier: "Asia/Taipei"))
    let store = checkIn.checkIns
    try database.write { writer in
      for day in days {
        let one = CheckIn(
          day: day, tappedAt: day.instant(minute: 480, in: zone), timeZone: zone.identifier,
          isOffline: isOffline)
        _ = try store.add(one, of: person, in: writer)
      }
    }
  }

  /// A user's contacts in order.
  func contacts(of person: ID<Person>) throws -> [Contact] {
    try database.read { try checkIn.contacts.all(of: person, in: $0) }
  }

  func settings(of person: ID<Person>) throws -> CheckInSettings? {
    try database.read { try checkIn.monitors.settings(of: person, in: $0) }
  }
}
