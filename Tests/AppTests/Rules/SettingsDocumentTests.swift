import Foundation
import Testing

@testable import App

@Suite("docs/operator/settings.md")
struct SettingsDocumentTests {
  /// Names that are no settings: a parameter from nginx to the handlers, and variables of the build
  /// and the tests.
  private static let others: Set<String> = [
    "PAIRSPOT_PURPOSE", "PAIRSPOT_STRICT", "PAIRSPOT_FUZZ", "PAIRSPOT_FUZZ_ROUNDS",
    "PAIRSPOT_FUZZ_TARGET", "PAIRSPOT_TEST_",
  ]

  /// The first column of every table, in the order of the page.
  private func documented() throws -> [String] {
    let path = TestInstance.checkout.appending(path: "docs/operator/settings.md")
    let row = /^\| `([A-Z0-9_]+)` \|/
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").flatMap { line in
      line.matches(of: row).map { String($0.output.1) }
    }
  }

  /// Every such string literal of the sources.
  private func read() throws -> Set<String> {
    let literal = /"((?:PAIRSPOT|SMTP|RESEND|FROM)_[A-Z0-9_]+)"/
    let sources = TestInstance.checkout.appending(path: "Sources")
    return Set(
      try CatalogueUsageTests.files(below: sources, ".swift").flatMap { _, text in
        text.matches(of: literal).map { String($0.output.1) }
      })
  }

  /// Every name in scripts, units and nginx's configuration.
  private func deployed() throws -> Set<String> {
    let name = /PAIRSPOT_[A-Z0-9_]+/
    let deploy = TestInstance.checkout.appending(path: "deploy")
    var texts: [String] = []
    for ending in [".sh", ".service", ".timer", ".template"] {
      texts += try CatalogueUsageTests.files(below: deploy, ending).map { $0.text }
    }
    for path in ["Makefile", "cgi-bin/pairspot.fcgi"] {
      let file = TestInstance.checkout.appending(path: path)
      texts.append(try String(contentsOf: file, encoding: .utf8))
    }
    return Set(texts.flatMap { text in text.matches(of: name).map { String($0.output) } })
  }

  @Test("Each variable that the sources read has one row, and no other name has one")
  func sources() throws {
    let rows = try documented()
    #expect(Set(rows).count == rows.count)
    let settings = try read().subtracting(Self.others)
    let (missing, unknown) = (settings.subtracting(rows), Set(rows).subtracting(settings))
    #expect(missing.isEmpty, "\(missing.sorted())")
    #expect(unknown.isEmpty, "\(unknown.sorted())")
  }

  @Test("Each setting of an OpenID provider has one row")
  func providers() throws {
    let path = TestInstance.checkout.appending(path: "docs/operator/settings.md")
    let rows = try String(contentsOf: path, encoding: .utf8)
      .matches(of: /\n\| `PAIRSPOT_OIDC_<NAME>_([A-Z_]+)` \|/).map { String($0.output.1) }
    #expect(rows.sorted() == ProviderSettings.Field.allCases.map(\.rawValue).sorted())
  }

  @Test("Each variable that is set for the program has a row")
  func scripts() throws {
    let rows = try documented()
    let missing = try deployed().subtracting(Self.others).subtracting(rows)
    #expect(missing.isEmpty, "\(missing.sorted())")
  }

  @Test("Each name that is no setting is still used")
  func exceptions() throws {
    let (inSources, inScripts) = (try read(), try deployed())
    let used = inSources.union(inScripts)
    let unused = Self.others.subtracting(used)
    #expect(unused.isEmpty, "\(unused.sorted())")
  }
}
