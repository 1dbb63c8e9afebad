import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

/// Arithmetic on a submitted number must never trap: it would end the process, and with it these
/// tests.
@Suite("Extreme numbers, dates and lengths in every field")
struct ExtremeNumberTests {
  private static let numbers = [
    "-9223372036854775808", "9223372036854775807", "18446744073709551616", "-1", "0", "-0.0",
    "1e308", "-1e308", "1e-320", "0." + String(repeating: "9", count: 300),
  ]
  private static let texts =
    numbers + [
      "NaN", "-inf", "0000-00-00", "0000-01-01", "9999-12-31", "9999-12", "0000-01", "24:00",
      "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999+14:00", "9223372036854775807-\(id)",
      "-9223372036854775808-\(id)", "0-\(id)", id, "minutes-9223372036854775807",
    ]
  private static let id = "01999999-9999-7999-8999-999999999999"

  @Test("No form field, query parameter or value of a call causes an internal error")
  func fields() throws {
    let table = try InputTable()
    for field in table.forms {
      for text in Self.texts {
        #expect(field.send(text).status < 500, "\(field.route) \(field.name): \(text)")
      }
    }
    for field in table.json {
      let isQuery = field.name.hasPrefix("?")
      let values =
        isQuery ? Self.texts : Self.numbers + Self.texts.dropFirst(8).map(InputTable.quoted)
      for value in values {
        #expect(field.send(value).status < 500, "\(field.route) \(field.name): \(value)")
      }
    }
  }

  @Test("No path parameter and no query parameter of a page causes an internal error")
  func paths() throws {
    let table = try InputTable()
    let sources = TestInstance.checkout.appending(path: "Sources")
    var names: Set<String> = []
    for (_, text) in try CatalogueUsageTests.files(below: sources, ".swift") {
      for match in text.matches(of: /queryValue\("([a-z_]+)"\)/) {
        names.insert(String(match.output.1))
      }
    }
    #expect(names.count > 10)
    let author = try #require(table.fixture.browsers[.author])
    // No worker runs in a test, so the health check answers 503.
    for route in table.fixture.instance.instance.routes
    where route.method == .get && route.pattern != "/healthz" {
      let parts = route.pattern.split(separator: "/")
      let browser = route.pattern.hasPrefix("/admin") ? table.fixture.admin : author
      for text in Self.texts {
        let places = parts.indices.filter { parts[$0].hasPrefix(":") }
        let paths = places.map { table.filled(route.pattern, with: text, at: $0) }
        let query = names.sorted().map { "\($0)=\(TestClient.encoded(text))" }
        for path in paths + ["\(table.filled(route.pattern))?\(query.joined(separator: "&"))"] {
          #expect(browser.get(path).status < 500, "\(path)")
        }
      }
    }
  }

  @Test("No number in a workout file causes an internal error")
  func files() throws {
    let fixture = try AccessTableTests.Fixture()
    let author = try #require(fixture.browsers[.author])
    for kind in ["tcx", "csv"] {
      let file = author.get("\(fixture.workout).\(kind)").text
      #expect(file.count > 100)
      // Enough numbers of a file to cover its columns and elements.
      for number in file.matches(of: /[0-9][0-9.:TZ-]*/).prefix(40) {
        for text in Self.texts.prefix(12) {
          let changed = file.replacingCharacters(in: number.range, with: text)
          let answer = author.upload(
            "/workouts/import", [], files: [("file", Array(changed.utf8))])
          #expect(answer.status < 500, "\(kind) \(number.output): \(text)")
        }
      }
    }
  }
}
