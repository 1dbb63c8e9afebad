import Core
import Database
import Foundation
import HTTPTypes
import Synchronization
import Testing
import Web

@testable import App

@Suite("Hostile texts in every field")
struct HostileTextTests {
  /// Texts that are expensive to process for their length.
  private static func hostile(_ count: Int) -> [(name: String, text: String)] {
    [
      ("brackets", "http://a" + String(repeating: "(", count: count)),
      ("closing brackets", String(repeating: "xhttp://", count: 100) + repeated(")", count)),
      ("variation selectors", "a" + repeated("\u{FE0F}", count)),
      ("joiners", "\u{1F468}" + repeated("\u{200D}\u{1F468}", count / 2)),
      ("jamo", "\u{1112}" + repeated("\u{1161}", count)),
      ("marks", "a" + repeated("\u{301}", count)),
      ("right to left", repeated("\u{202E}", count)),
      ("tags", "a" + repeated("\u{E0020}", count)),
      ("ligatures", repeated("\u{FDFA}", count)),
    ]
  }

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  /// Number of bytes normalised during `body`.
  private static func normalised(_ body: () -> Void) -> Int {
    let bytes = Mutex(0)
    Normalisation.$observer.withValue(
      { count in bytes.withLock { $0 += count } }, operation: body)
    return bytes.withLock { $0 }
  }

  @Test(
    "Every form of the table of routes is tried, and each of its fields of several lines may be long"
  )
  func complete() throws {
    let table = try InputTable()
    #expect(table.missing == [])
    let routes = table.fixture.instance.instance.routes
    for field in table.forms where field.isLong {
      let route = try #require(routes.first { $0.name == field.route })
      #expect(route.options.contains(.paragraphs), "\(field.route) \(field.name)")
    }
    #expect(table.forms.count > 100 && table.json.count > 100)
  }

  @Test(
    "A text that is just short enough to be looked at is refused or bounded, field by field",
    .onSQLite("it reads SQLite's list of columns"))
  func short() throws {
    let table = try InputTable()
    for (name, text) in Self.hostile(900) {
      let quoted = InputTable.quoted(text)
      for (fields, value) in [(table.forms, text), (table.json, quoted)] {
        for field in fields {
          var status = 0
          let bytes = Self.normalised { status = field.send(value).status }
          #expect(status < 500, "\(field.route) \(field.name): \(name)")
          #expect(bytes < 300_000, "\(field.route) \(field.name): \(name)")
        }
      }
    }
    try expectBoundedTexts(table.fixture.instance.database)
  }

  /// Only multi-line fields store more bytes than a line's limit.
  private func expectBoundedTexts(_ database: Database) throws {
    let columns = try database.read { reader in
      try reader.values("SELECT name FROM sqlite_master WHERE type = 'table'", as: String.self)
        .filter { !$0.contains("_fts") && !$0.hasPrefix("search") && !$0.hasPrefix("sqlite") }
        .flatMap { table in
          try reader.rows("SELECT name FROM pragma_table_info(\(table))") {
            (table, try $0.next(String.self))
          }
        }
    }
    for (table, column) in columns {
      let longest = try database.read {
        try $0.values(
          """
          SELECT max(length(CAST(\(name: column) AS BLOB))) FROM \(name: table)
          WHERE typeof(\(name: column)) = 'text'
          """, as: Int.self
        ).first ?? 0
      }
      let isLong = ["content", "story", "body", "payload", "description", "words"].contains(column)
      #expect(longest <= (isLong ? 32_000 : 2_000), "\(table).\(column)")
    }
  }

  @Test("A text that is long is refused before it is normalised, field by field")
  func long() throws {
    let table = try InputTable()
    let text = "a" + Self.repeated("\u{FE0F}", 100_000)
    let quoted = InputTable.quoted(text)
    for (fields, value) in [(table.forms, text), (table.json, quoted)] {
      for field in fields {
        var status = 0
        let bytes = Self.normalised { status = field.send(value).status }
        // Some forms are not for signed-in users; a batch answers for each of its parts.
        #expect(
          400..<500 ~= status || [200, 303].contains(status),
          "\(field.route) \(field.name): \(status)")
        #expect(bytes < 100_000, "\(field.route) \(field.name)")
      }
    }
  }

  @Test("Each kind of long text is refused before it is normalised, forms of both kinds and JSON")
  func kinds() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for (name, text) in Self.hostile(100_000) + [
      ("grapheme", "a" + Self.repeated("\u{FE0F}", 340_000))
    ] {
      var statuses: [Int] = []
      let bytes = Self.normalised {
        statuses = [
          ann.upload("/posts", [("content", text)], files: []).status,
          ann.post("/settings/profile", ["display_name": String(text.prefix(1))]).status,
          ann.plainPost("/join", [("csrf_token", ann.freshToken()), ("code", text)]).status,
          ann.call(.post, "/groups", "{\"name\":\(InputTable.quoted(text))}").status,
        ]
      }
      #expect(statuses.allSatisfy { $0 >= 400 && $0 < 500 || $0 == 303 }, "\(name): \(statuses)")
      #expect(bytes < 100_000, "\(name)")
    }
    #expect(ann.get("/").status == 200)
  }

  /// A limit in characters alone accepts one character of a megabyte: `FieldLimits` counts
  /// characters, scalars and bytes.
  @Test("No rule counts the characters of a text by itself, and normal forms are made in one place")
  func oneRule() throws {
    let sources = TestInstance.checkout.appending(path: "Sources")
    let counts =
      /\b(name|note|text|words|bio|content|typed|title|description|query|story|line)\??\.count *[<>]/
    for (name, text) in try CatalogueUsageTests.files(below: sources, ".swift") {
      #expect(!text.contains(/(pre|de)composedStringWith/) || name.hasSuffix("Normalisation.swift"))
      if name.contains(/PhotoMetadata|Templates|Images|Backup/) { continue }
      for line in text.split(separator: "\n") {
        #expect(!line.contains(counts), "\(name): \(line)")
      }
    }
  }

  @Test("A long path, query or header is refused before anything looks at it")
  func heads() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let long = Self.repeated("a", 20_000)
    #expect(browser.get("/\(long)").status == 414)
    #expect(browser.get("/?q=\(long)").status == 414)
    let names: [HTTPField.Name] = [
      .userAgent, .acceptLanguage, .authorization, .ifNoneMatch, .accept, .origin,
    ]
    for name in names {
      #expect(browser.get("/", headers: [name: long]).status == 431, "\(name)")
    }
  }
}
