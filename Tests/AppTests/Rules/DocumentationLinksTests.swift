import Foundation
import Testing

@Suite("Links of the documentation lead somewhere")
struct DocumentationLinksTests {
  private static let topPages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
  /// Folders whose comments name pages of the documentation, and the files that are looked at.
  private static let citing = ["Sources", "Tests", "deploy", "public", "templates"]
  private static let endings = [
    ".swift", ".py", ".js", ".css", ".mustache", ".sh", ".template", ".service", ".timer", ".h",
  ]

  /// The text of a file below the checkout; nil where there is none.
  private func contents(of path: String) -> String? {
    try? String(contentsOf: TestInstance.checkout.appending(path: path), encoding: .utf8)
  }

  /// Every page, by its path below the checkout.
  private func pages() throws -> [(name: String, text: String)] {
    let folder = TestInstance.checkout.appending(path: "docs")
    let found = try CatalogueUsageTests.files(below: folder, ".md").map {
      (name: "docs/\($0.name)", text: $0.text)
    }
    let top = try Self.topPages.map { (name: $0, text: try #require(contents(of: $0), "\($0)")) }
    return found + top
  }

  /// The lines of a page that are no code.
  private func prose(_ text: String) -> [String] {
    var lines: [String] = []
    var isCode = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isCode.toggle()
      } else if !isCode {
        lines.append(String(line))
      }
    }
    return lines
  }

  /// The anchors of a page's headings, as GitHub makes them.
  private func anchors(_ text: String) -> Set<String> {
    var found: Set<String> = []
    for line in prose(text) {
      let marks = line.prefix { $0 == "#" }.count
      let title = line.dropFirst(marks)
      guard 1...6 ~= marks, title.hasPrefix(" ") else { continue }
      let anchor = anchor(String(title))
      var name = anchor
      var repeated = 0
      while !found.insert(name).inserted {
        repeated += 1
        name = "\(anchor)-\(repeated)"
      }
    }
    return found
  }

  private func anchor(_ title: String) -> String {
    var anchor = ""
    for character in title.trimmingCharacters(in: .whitespaces).lowercased() {
      if character == " " {
        anchor.append("-")
      } else if character.isLetter || character.isNumber || character == "-" || character == "_" {
        anchor.append(character)
      }
    }
    return anchor
  }

  /// The path below the checkout to which a relative link leads; nil when that is outside.
  private func resolved(_ target: String, from page: String) -> String? {
    var parts: [String] = page.split(separator: "/").dropLast().map { String($0) }
    for part in target.split(separator: "/") where part != "." {
      if part != ".." {
        parts.append(String(part))
      } else if parts.isEmpty {
        return nil
      } else {
        parts.removeLast()
      }
    }
    return parts.joined(separator: "/")
  }

  /// What is wrong with a place in a file; nil when it is there.
  private func problem(_ path: String, _ anchor: String) -> String? {
    let file = TestInstance.checkout.appending(path: path).path
    guard FileManager.default.fileExists(atPath: file) else { return "there is no \(path)" }
    if anchor.isEmpty { return nil }
    guard let text = contents(of: path) else { return "\(path) has no headings" }
    return anchors(text).contains(anchor) ? nil : "\(path) has no heading #\(anchor)"
  }

  @Test("Every relative link leads to a file, and every anchor to a heading")
  func links() throws {
    let pages = try pages()
    var count = 0
    for (name, text) in pages {
      for line in prose(text) {
        let plain = line.replacing(/`[^`]*`/, with: "")
        for match in plain.matches(of: /\]\(([^)\s]+)/) {
          let link = String(match.output.1)
          if link.contains("://") || link.hasPrefix("mailto:") { continue }
          count += 1
          let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
          let target = String(parts[0])
          let anchor = parts.count > 1 ? String(parts[1]) : ""
          guard let path = target.isEmpty ? name : resolved(target, from: name) else {
            Issue.record("\(name): \(link) leads out of the repository")
            continue
          }
          #expect(problem(path, anchor) == nil, "\(name)")
        }
      }
    }
    #expect(pages.count > 40 && count > 100)
  }

  @Test("Every page that a comment names is there, with its heading")
  func citations() throws {
    let citation = /(^|[^\w\/.\-])(docs\/[\w\/.\-]+\.md)(#[\w\-]+)?/
    var count = 0
    for folder in Self.citing {
      let below = TestInstance.checkout.appending(path: folder)
      for ending in Self.endings {
        for (name, text) in try CatalogueUsageTests.files(below: below, ending) {
          for match in text.matches(of: citation) {
            count += 1
            let anchor = match.output.3.map { String($0.dropFirst()) } ?? ""
            #expect(problem(String(match.output.2), anchor) == nil, "\(folder)/\(name)")
          }
        }
      }
    }
    #expect(count > 0)
  }
}
