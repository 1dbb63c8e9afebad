import Foundation
import Testing

@testable import Core

@Suite("Moments at the ends of all moments")
struct InstantEndsTests {
  @Test("Sums and differences end at the last and the first moment")
  func ends() {
    let (first, last) = (Instant(milliseconds: .min), Instant(milliseconds: .max))
    #expect(last.adding(seconds: 1) == last && first.adding(seconds: -1) == first)
    #expect(last.adding(seconds: .max) == last && first.adding(seconds: .min) == first)
    #expect(Instant(milliseconds: 0).adding(seconds: .max) == last)
    #expect(last.seconds(since: first) == .max / 1000)
    #expect(first.seconds(since: last) == .min / 1000)
    #expect(Instant(milliseconds: 5000).adding(seconds: -2) == Instant(milliseconds: 3000))
    #expect(Instant(date: Date(timeIntervalSince1970: 1e300)) == last)
    #expect(Instant(date: Date(timeIntervalSince1970: -.infinity)) == first)
  }

  @Test("Days of such moments are days", arguments: ["Asia/Taipei", "America/New_York", "UTC"])
  func days(zone: String) throws {
    let zone = try #require(TimeZone(identifier: zone))
    for milliseconds: Int64 in [.min, .max] {
      let day = LocalDay(Instant(milliseconds: milliseconds), in: zone)
      #expect(!day.description.isEmpty)
    }
  }
}
