import Foundation

/// Parses docs/developer/who-sees-what.md: which relations may see which kind of data.
struct CanaryTable {
  static let path = "docs/developer/who-sees-what.md"

  /// By kind, for every row that could be parsed.
  private(set) var allowed: [CanaryKind: Set<CanaryRelation>] = [:]
  /// Errors in the document.
  private(set) var problems: [String] = []

  /// Reads the document of this checkout.
  static func read() throws -> CanaryTable {
    CanaryTable(
      try String(contentsOf: TestInstance.checkout.appending(path: path), encoding: .utf8))
  }

  init(_ document: String) {
    var explained: [String] = []
    for line in document.split(separator: "\n") where line.hasPrefix("|") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.count == 2 { explained.append(cells[0]) }
      guard cells.count == 3, cells[0] != "data", !cells[0].hasPrefix("---") else { continue }
      guard let kind = CanaryKind(rawValue: cells[0]) else {
        problems.append("no kind of data is called “\(cells[0])”")
        continue
      }
      if allowed[kind] != nil { problems.append("two rows for “\(cells[0])”") }
      allowed[kind] = []
      guard cells[2] != "nobody" else { continue }
      for name in cells[2].components(separatedBy: "; ") {
        if let relation = CanaryRelation(rawValue: name) {
          allowed[kind]?.insert(relation)
        } else {
          problems.append("nobody is called “\(name)”, in the row “\(cells[0])”")
        }
      }
    }
    for kind in CanaryKind.allCases where allowed[kind] == nil {
      problems.append("no row for “\(kind.rawValue)”")
    }
    for relation in CanaryRelation.allCases where !explained.contains(relation.rawValue) {
      problems.append("“\(relation.rawValue)” isn't explained")
    }
  }

  func allows(_ mark: CanaryMark, to viewer: CanaryViewer) -> Bool {
    !allowed[mark.kind, default: []]
      .isDisjoint(with: CanaryRelations.of(viewer, to: mark.person))
  }
}
