import Foundation
import Testing

/// Forbidden practices in our scripts and pages (docs/developer/asvs.md).
@Suite("Rules for code in a browser")
struct BrowserRulesTests {
  private func scripts() throws -> [(name: String, text: String)] {
    let folder = TestInstance.checkout.appending(path: "public")
    let found = try CatalogueUsageTests.files(below: folder, ".js")
    try #require(found.count > 50)
    return found.filter { !$0.name.hasPrefix("vendor/") }
  }

  private func templates() throws -> [(name: String, text: String)] {
    try CatalogueUsageTests.files(
      below: TestInstance.checkout.appending(path: "templates"), ".mustache")
  }

  @Test(
    "No script makes markup or code of a text",
    arguments: [
      #"\.(innerHTML|outerHTML)\s*\+?=[^=]"#, #"insertAdjacentHTML|document\.write"#,
      #"\beval\(|new Function\b|set(Timeout|Interval)\(\s*["'`]"#,
    ])
  func noMarkupOfTexts(pattern: String) throws {
    let pattern = try Regex(pattern)
    for (name, text) in try scripts() { #expect(!text.contains(pattern), "\(name)") }
  }

  @Test("Scripts compare without converting types, but for null and undefined")
  func strictComparisons() throws {
    let loose = /[^=!]==[^=]|!=[^=]/
    for (name, text) in try scripts() {
      for line in text.split(separator: "\n") where line.contains(loose) {
        #expect(
          line.replacing(/[!=]= null/, with: "").firstMatch(of: loose) == nil, "\(name): \(line)")
      }
    }
  }

  @Test("No script sets an object's prototype, nor takes names for fields from an address")
  func noPrototypes() throws {
    for (name, text) in try scripts() {
      #expect(!text.contains(/__proto__|\.prototype\b|setPrototypeOf/), "\(name)")
    }
  }

  @Test("No window listens to messages of other windows, no page asks for a plug-in")
  func noForeignMessages() throws {
    for (name, text) in try scripts() {
      #expect(!text.contains(/(window|globalThis)\.addEventListener\(\s*"message"/), "\(name)")
    }
    for (name, text) in try templates() {
      #expect(!text.contains(/<(object|embed|applet)\b/), "\(name)")
    }
  }

  @Test("Passwords may be pasted and kept by password managers, and are masked")
  func passwordFields() throws {
    for (name, text) in try scripts() { #expect(!text.contains(/onpaste|"paste"/), "\(name)") }
    let fields = try templates().flatMap { name, text in
      text.matches(of: /<input[^>]*name="(?:current_)?password"[^>]*>/).map { (name, $0.output) }
    }
    #expect(fields.count >= 3)
    for (name, field) in fields {
      #expect(field.contains("type=\"password\""), "\(name)")
      #expect(field.contains(/autocomplete="(current|new)-password"/), "\(name)")
    }
  }

  @Test("No other origin is allowed, and no URL is sent to another site by Referer")
  func otherOrigins() throws {
    let instance = try TestInstance()
    for target in ["/", "/api/v1/openapi.json", "/privacy", "/no-such-page"] {
      let answer = instance.browser().get(target, headers: [.origin: "https://evil.example"])
      #expect(answer.headers[.accessControlAllowOrigin] == nil, "\(target)")
      #expect(answer.headers[.referrerPolicy] == "same-origin", "\(target)")
    }
  }
}
