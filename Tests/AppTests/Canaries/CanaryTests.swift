import Core
import Database
import Foundation
import PostgreSQLServer
import Testing

@testable import App

/// Each user has a unique mark in every field, and no viewer finds a mark without permission.
@Suite("Canaries: data are seen only by allowed viewers")
struct CanaryTests {
  /// Every column of the schema except those of the full-text index itself.
  private func columns(_ instance: TestInstance) throws -> [String: Set<String>] {
    try instance.database.read { reader in
      let tables = try reader.values(
        """
        SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        """, as: String.self
      ).filter { !$0.contains("_words_") }
      var found: [String: Set<String>] = [:]
      for table in tables {
        found[table] = Set(
          try reader.values("SELECT name FROM pragma_table_info(\(table))", as: String.self))
      }
      return found
    }
  }

  @Test(
    "Every column of the schema is listed with its content, and no other",
    .onSQLite("PostgreSQLMigrationTests compares the schemas"))
  func complete() throws {
    let there = try columns(TestInstance())
    let listed = CanaryColumns.tables.mapValues { Set($0.keys) }
    #expect(Set(there.keys).symmetricDifference(listed.keys) == [])
    for (table, columns) in there {
      #expect(columns.symmetricDifference(listed[table] ?? []) == [], "\(table)")
    }
  }

  @Test("The document has a row for each kind of data, and explains every named relation")
  func document() throws {
    #expect(try CanaryTable.read().problems == [])
  }

  @Test("A mark is found in any context; random data are no mark")
  func finder() {
    var finder = CanaryFinder()
    let ann = CanaryMark(.note, of: .ann)
    let identifier = "019cbde0-4ec0-732f-834f-5578be303dfa"
    finder.add(identifier, CanaryMark(.workout, of: .ann))
    let word = CanaryPerson.ann.mark(.note)
    for text in [
      word, "\0\0\(word)", "a=\(word)&b", "x\(word)\(CanaryPerson.ben.mark(.note))",
      word.capitalized, word.uppercased(), "KQ kq kqz \(word)",
    ] {
      #expect(finder.marks(in: Array(text.utf8)).contains(ann), "\(text)")
    }
    let coins = CanaryPerson.ann.coins
    for (text, count) in [
      ("", 0), ("kq", 0), ("\(word.dropLast())", 0), ("\(coins)", 1), ("+731,8\(coins % 100)", 1),
      ("a\(coins)", 0), ("\(coins)7", 0), ("24.7314\(coins % 100)", 1), ("/\(identifier)/", 1),
    ] {
      #expect(finder.marks(in: Array(text.utf8)).count == count, "\(text)")
    }
    #expect(finder.marks(in: Array(identifier.utf8), asked: "/a/\(identifier)").isEmpty)
  }

  @Test("Viewers find exactly the marks that they are allowed to see")
  func requests() throws {
    let fixture = try CanaryWorld()
    // It reads the columns as SQLite does.
    if TestEngine.ofInstances == .sqlite { try expectPlanted(fixture) }
    let table = try CanaryTable.read()
    var requests = try CanaryVisits(fixture)
    #expect(requests.missing == [] && requests.addresses.count > 500)
    try requests.exercise()
    try requests.lookElsewhere()
    let leaks = requests.sightings.filter { !table.allows($0.key.mark, to: $0.key.viewer) }
      .map { "\($0.key.viewer) sees \($0.key.mark) at \($0.value)" }
    #expect(leaks.isEmpty, "\(leaks.sorted().joined(separator: "\n"))")
    expectSeen(table, requests)
    expectLanguages(requests)
  }

  /// Each column has the listed content.
  private func expectPlanted(_ fixture: CanaryWorld) throws {
    let plain = CanaryFinder()
    var planted: Set<CanaryMark> = []
    for (table, columns) in CanaryColumns.tables.sorted(by: { $0.key < $1.key }) {
      for (column, content) in columns.sorted(by: { $0.key < $1.key }) {
        let place = "\(table).\(column)"
        let rows = try fixture.instance.database.read {
          try $0.values(
            """
            SELECT CAST(\(name: column) AS BLOB) FROM \(name: table)
            WHERE \(name: column) IS NOT NULL
            """, as: [UInt8].self)
        }
        let marks = rows.reduce(into: Set<CanaryMark>()) {
          $0.formUnion(plain.marks(in: $1))
        }
        planted.formUnion(marks)
        let found = Set(marks.map(\.kind))
        switch content {
        case .marks(let kinds): #expect(Set(kinds).subtracting(found) == [], "\(place)")
        case .sealed:
          #expect(!rows.isEmpty && found.isEmpty, "\(place)")
        case .none(let reason):
          #expect(found.isEmpty || reason == .index, "\(place): \(reason.rawValue) \(found)")
        }
      }
    }
    // Users who are neither separated nor deleted have each of these.
    for person in CanaryPerson.members where ![.eve, .fin, .tom].contains(person) {
      for kind in [
        CanaryKind.name, .open, .described, .narrow, .two, .browser, .device, .passkey, .app,
        .endpoint, .contact, .story, .shared, .workout, .coins,
      ] {
        #expect(planted.contains(CanaryMark(kind, of: person)), "\(kind) of \(person)")
      }
    }
    try fixture.instance.database.checkpoint()
    let path = fixture.instance.instance.configuration.databasePath
    for file in [path, "\(path)-wal"] {
      let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
      for person in CanaryPerson.allCases {
        for kind in [CanaryKind.email, .changed, .invited, .reach, .note] {
          #expect(bytes.range(of: Data(person.mark(kind).utf8)) == nil, "\(kind) of \(person)")
        }
      }
    }
  }

  /// Every allowed relation has seen the mark: otherwise it was not planted, or the document allows
  /// too much.
  private func expectSeen(_ table: CanaryTable, _ requests: CanaryVisits) {
    var seen: [CanaryKind: Set<CanaryRelation>] = [:]
    for sighting in requests.sightings.keys {
      seen[sighting.mark.kind, default: []].formUnion(
        CanaryRelations.of(sighting.viewer, to: sighting.mark.person))
    }
    for kind in CanaryKind.allCases {
      let unseen = table.allowed[kind, default: []].subtracting(seen[kind, default: []])
      #expect(unseen.isEmpty, "\(kind.rawValue) by \(unseen.map(\.rawValue).sorted())")
    }
  }

  /// Every public page was seen in all languages.
  private func expectLanguages(_ requests: CanaryVisits) {
    for (pattern, languages) in requests.languages where !pattern.hasPrefix("/media/") {
      #expect(languages.count == 3, "\(pattern)")
    }
  }
}
