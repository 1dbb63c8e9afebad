import Foundation
import Testing

@Suite("docs/developer/asvs.md")
struct ASVSTests {
  private struct Row {
    let id: String
    let level: String
    let status: String
    let how: String
    let tests: [String]
  }

  private func rows() throws -> [Row] {
    let path = TestInstance.checkout.appending(path: "docs/developer/asvs.md")
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains(/^\| \d+\.\d+\.\d+ \|/) }
      .map { line in
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces) }
        try #require(cells.count == 7, "\(line)")
        return Row(
          id: cells[1], level: cells[2], status: cells[3], how: cells[4],
          tests: cells[5].matches(of: /`([^`]+)`/).map { String($0.output.1) })
      }
  }

  @Test("Each requirement of levels 1 and 2 has one row with a status and its reason")
  func complete() throws {
    let rows = try rows()
    #expect(Set(rows.map(\.id)).count == 253 && rows.count == 253)
    #expect(rows.count { $0.level == "1" } == 70 && rows.count { $0.level == "2" } == 183)
    for row in rows {
      #expect(["met", "not applicable", "accepted"].contains(row.status), "\(row.id)")
      #expect(!row.how.isEmpty, "\(row.id)")
      #expect(row.status != "met" || !row.tests.isEmpty, "\(row.id)")
    }
  }

  @Test("Each test that a row names exists")
  func tests() throws {
    let folder = TestInstance.checkout.appending(path: "Tests")
    let declared = /(?:struct|class) (\w+Tests)\b/
    var known = Set(
      try CatalogueUsageTests.files(below: folder, ".swift").flatMap { _, text in
        text.matches(of: declared).map { String($0.output.1) }
      })
    known.formUnion(
      try CatalogueUsageTests.files(below: folder.appending(path: "EndToEnd"), ".py")
        .map { URL(filePath: $0.name).deletingPathExtension().lastPathComponent })
    for row in try rows() {
      #expect(known.isSuperset(of: row.tests), "\(row.id): \(Set(row.tests).subtracting(known))")
    }
  }
}
