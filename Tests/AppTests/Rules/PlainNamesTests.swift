import Foundation
import Testing

/// What docs/developer/names.md and docs/developer/style.md say of names, comments and folders.
@Suite("Names, comments and folders are plain")
struct PlainNamesTests {
  /// Words of earlier names, which a reader had to learn.
  private static let names: Set = [
    "Anew", "Deed", "Desk", "Founding", "House", "Keeper", "Leaving", "Letter", "Leftovers", "News",
    "Patience", "Refusal", "Room", "Seams", "Shelf", "Shown", "Standing", "Standings", "Tapping",
    "Typed", "Words",
  ]

  @Test("No type has a name of private words")
  func types() throws {
    for folder in ["Sources", "Tests"] {
      for (name, text) in try files(below: folder, ".swift") {
        for match in text.matches(
          of: /(?m)^ *(?:[a-z]+ |@\w+ )*(?:struct|class|enum|actor|protocol|typealias) (\w+)/)
        {
          let words = match.output.1.matches(of: /[A-Z][a-z0-9]*/).map { String($0.output) }
          #expect(Self.names.isDisjoint(with: words), "\(match.output.1) in \(name)")
        }
      }
    }
  }

  @Test("No file is named by private words")
  func fileNames() throws {
    for folder in ["Sources", "Tests"] {
      for (name, _) in try files(below: folder, ".swift") {
        let file = name.split(separator: "/").last.map(String.init) ?? name
        let words = file.matches(of: /[A-Z][a-z0-9]*/).map { String($0.output) }
        #expect(Self.names.isDisjoint(with: words), "\(name)")
      }
    }
  }

  @Test(
    "Comments have no private or literary words",
    arguments: [
      ("Sources", ".swift"), ("Tests", ".swift"), ("Tests", ".py"), ("public/js", ".js"),
      ("public/css", ".css"), ("deploy", ".sh"), ("deploy", ".template"), ("deploy", ".service"),
    ])
  func comments(of folder: String, _ ending: String) throws {
    let words =
      /(?i)\b(?:anew|anybody|deeds?|desks?|everybody|heed|nobody|somebody|who(?:m)?ever|whom)\b/
    for (name, text) in try files(below: folder, ending) {
      for line in text.split(separator: "\n") {
        guard let comment = line.firstMatch(of: /^\s*(?:\/\/+|\/?\*+|#+) (.*)$/) else { continue }
        #expect(comment.output.1.firstMatch(of: words) == nil, "\(name): \(comment.output.1)")
      }
    }
  }

  @Test("Doc comments begin with a noun phrase or a verb")
  func firstWords() throws {
    for (name, text) in try files(below: "Sources", ".swift") {
      var inComment = false
      for line in text.split(separator: "\n") {
        let content = line.drop { $0 == " " }
        let isComment = content.hasPrefix("///")
        if isComment, !inComment,
          ["Who ", "Whose ", "Whom ", "What "].contains(where: content.dropFirst(4).hasPrefix)
        {
          Issue.record("\(name): \(content)")
        }
        inComment = isComment
      }
    }
  }

  @Test("No source file has more than 300 lines")
  func lengths() throws {
    for (name, text) in try files(below: "Sources", ".swift") {
      let count = text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
      #expect(count <= 300, "\(name) has \(count)")
    }
  }

  @Test("No folder holds more than 25 source files")
  func folders() throws {
    for (top, endings) in [
      ("Sources", [".swift"]), ("Tests", [".swift", ".py", ".js"]), ("deploy", [".sh", ".py"]),
      ("templates", [".mustache"]), ("public/css", [".css"]), ("public/js", [".js"]),
    ] {
      let found = try endings.flatMap { try files(below: top, $0).map(\.name) }
      let folders = Dictionary(grouping: found) {
        $0.split(separator: "/").dropLast().joined(separator: "/")
      }
      for (folder, files) in folders {
        #expect(files.count <= 25, "\(top)/\(folder) has \(files.count)")
      }
    }
  }

  private func files(
    below folder: String, _ ending: String
  ) throws -> [(name: String, text: String)] {
    try CatalogueUsageTests.files(below: TestInstance.checkout.appending(path: folder), ending)
  }
}
