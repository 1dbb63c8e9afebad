import Core
import Foundation
import Testing

@testable import App

enum CheckInFailures {
  /// One more failure for a reason, and no other.
  static func one(_ reason: String) -> [String: Int] {
    ["pairspot_check_in_failures_total{reason=\"\(reason)\"}": 1]
  }
}

@Suite("Check-ins that fail are counted by their reason")
struct CheckInFailureTests {
  private func settled() throws -> (instance: TestInstance, gia: TestClient) {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    instance.clock.advance(seconds: .days(1))
    return (instance, gia)
  }

  @Test("On the page: details that are missing, and a day that isn't today")
  func page() throws {
    let (instance, gia) = try settled()
    let visitor = instance.browser()
    visitor.get("/checkin")
    let details = instance.counted {
      visitor.post(
        "/checkin", ["display_name": "", "contact_email": "nope", "button": "check-in"])
    }
    #expect(details == CheckInFailures.one("details"))
    let saving = instance.counted {
      visitor.post("/checkin", ["display_name": "", "contact_email": "nope", "button": "save"])
    }
    #expect(saving == [:])
    let day = instance.counted {
      gia.post("/checkin", ["date": "2020-01-01", "button": "check-in"])
    }
    #expect(day == CheckInFailures.one("not_today"))
  }

  @Test("By the API, and by a link that has ended")
  func others() throws {
    let (instance, gia) = try settled()
    let day = instance.counted { gia.call(.post, "/checkin", #"{"date":"2020-01-01"}"#) }
    #expect(day == CheckInFailures.one("not_today"))
    let guest = instance.client()
    guest.post("/auth/guest")
    #expect(instance.counted { guest.post("/checkin") } == CheckInFailures.one("details"))
    let link = instance.counted { gia.post("/tap/nothing-of-ours") }
    #expect(link == CheckInFailures.one("link_ended"))
  }

  @Test("Every reason is in the metrics before its first occurrence")
  func nought() throws {
    let counters = try TestInstance().counters()
    let failures = counters.filter { $0.key.hasPrefix("pairspot_check_in_failures_total{") }
    #expect(failures.count == 5 && failures.values.allSatisfy { $0 == 0 })
  }
}
