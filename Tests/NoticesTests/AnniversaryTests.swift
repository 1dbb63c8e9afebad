import Core
import Foundation
import Testing

@testable import Notices

@Suite("Days to celebrate")
struct AnniversaryTests {
  private func day(_ text: String) throws -> LocalDay { try #require(LocalDay(text)) }

  @Test(
    "Every 100th day and every year, and no other",
    arguments: [
      ("2026-01-01", "2026-01-01", []), ("2026-01-01", "2026-04-09", []),
      ("2026-01-01", "2026-04-10", ["days 100"]), ("2026-01-01", "2026-04-11", []),
      ("2026-01-01", "2027-01-01", ["years 1"]), ("2025-01-01", "2024-01-01", []),
      ("2024-02-29", "2025-02-28", ["years 1"]), ("2024-02-29", "2025-03-01", []),
      ("2024-02-29", "2028-02-29", ["years 4"]), ("2024-02-29", "2028-02-28", []),
      ("2020-03-02", "2020-06-09", ["days 100"]),
    ])
  func on(since: String, today: String, expected: [String]) throws {
    let found = Anniversary.on(try day(today), since: try day(since))
    #expect(found.map { "\($0.kind) \($0.number)" } == expected)
  }

  @Test("Exactly the couples with an anniversary on a day are found by their start dates")
  func startDates() throws {
    for text in ["2026-02-28", "2028-02-28", "2028-02-29", "2027-03-01", "2026-12-31"] {
      let today = try day(text)
      let found = Set(Anniversary.startDates(for: today))
      for ago in 0...3000 {
        let since = today.adding(days: -ago)
        #expect(found.contains(since) == !Anniversary.on(today, since: since).isEmpty, "\(since)")
      }
    }
  }

  @Test("The coming ones are in order, from a day on, each once")
  func upcoming() throws {
    let since = try day("2020-02-29")
    let found = Anniversary.upcoming(from: try day("2026-03-02"), since: since, perKind: 5)
    #expect(found.count == 10)
    #expect(found == found.sorted { $0.day < $1.day })
    #expect(
      found.allSatisfy {
        $0.day >= LocalDay(number: 0) && Anniversary.on($0.day, since: since).contains($0)
      })
    #expect(found.first?.day == (try day("2026-03-08")))
  }
}

@Suite("A calendar for programs")
struct CalendarFileTests {
  private func text(_ file: CalendarFile) -> String { String(decoding: file.bytes, as: UTF8.self) }

  @Test("Lines end as they must, none is longer than 75 bytes, and no character is cut")
  func folded() throws {
    let name = String(repeating: "小美和阿俊的紀念日", count: 9)
    let file = CalendarFile(
      name: name,
      events: [.init(uid: "a@b", day: LocalDay(number: 20_000), summary: name)],
      stamp: Instant(milliseconds: 1_700_000_000_000))
    let lines = text(file).components(separatedBy: "\r\n")
    #expect(lines.last == "" && !lines.contains { $0.contains("\n") || $0.contains("\r") })
    #expect(lines.allSatisfy { $0.utf8.count <= 75 })
    #expect(text(file).replacing("\r\n ", with: "").contains("SUMMARY:\(name)\r\n"))
    #expect(lines.contains("DTSTART;VALUE=DATE:20241004"))
    #expect(lines.contains("DTEND;VALUE=DATE:20241005"))
    #expect(lines.contains("DTSTAMP:20231114T221320Z"))
  }

  @Test("A name can't begin another line or another field")
  func escaped() {
    #expect(CalendarFile.escaped("A;B,C\\D\nE\rF\u{7}") == "A\\;B\\,C\\\\D\\nEF")
  }
}
