import Core
import Foundation
import Notices
import Templates
import Testing
import Web

@testable import Accounts
@testable import App
@testable import Moderation

@Suite("Words live in the catalogues, and only those that are used")
struct CatalogueUsageTests {
  private static let sources = TestInstance.checkout.appending(path: "Sources")
  private static let templates = TestInstance.checkout.appending(path: "templates")

  /// Keys composed of parts: title and message of a status, the message of a missing page in a part
  /// of the site, errors of a field.
  private func isBuilt(_ key: String) -> Bool {
    key.wholeMatch(of: /problem\.(s\d{3}|suspended(_for_good)?|field_too_long)\.(title|message)/)
      != nil
      || key.wholeMatch(of: /problem\.s404\.message_(posts|couples|album|workouts|groups)/) != nil
      || key.wholeMatch(
        of: /(report\.reason|own_reports|own_decisions|admin\.(state|decision|status))\.[a-z_]+/)
        != nil
      || key.wholeMatch(of: /admin\.(report\.kind|reports\.age|health\.check)_[a-z_]+/) != nil
      || key.wholeMatch(of: /admin\.role\.(member|moderator|admin)_hint/) != nil
      || key.wholeMatch(of: /admin\.log\.action_([a-z_]+)/).map {
        let action = String($0.output.1)
        return ModerationAction(rawValue: action) != nil || AuditAction(rawValue: action) != nil
      } == true
      || key.wholeMatch(of: /admin\.(reports|people)_count|admin\.(people|couples)\.(lead|find)/)
        != nil
      || key.wholeMatch(of: /(toast\.decided_|admin\.reply\.)[a-z_]+/) != nil
      || key.wholeMatch(of: /(?:notice_settings\.|push\.text_)([a-z_]+)/).map {
        NoticeKind(rawValue: String($0.output.1)) != nil
      } == true
      || key.wholeMatch(of: /anniversary\.(days|years)/) != nil
      || key.wholeMatch(of: /error\.[a-z_]+_(long|empty)|error\.voucher_(coins|count|days)/) != nil
      || key.wholeMatch(of: /help\.[a-z_]+\.(title|lead|(title|text)_\d)/) != nil
      || key.wholeMatch(of: /receipt\.[a-z_]+/) != nil
      || key.wholeMatch(of: /mail\.confirm_code\.([a-z_]+)/).map {
        ProtectedAction(rawValue: String($0.output.1)) != nil
      } == true
      || key.wholeMatch(of: /api\.error\.([a-z_]+)/).map {
        APIErrorCode(rawValue: String($0.output.1)) != nil
          || String($0.output.1) == Problem.methodNotAllowed.code
      } == true
  }

  /// The texts of a page about a refusal: the code names the page.
  private func isOfPage(_ key: String, _ used: Set<String>) -> Bool {
    key.wholeMatch(of: /((?:pair_closed|problem)\.[a-z_]+)\.(?:title|text|button|message)/)
      .map { used.contains(String($0.output.1)) } ?? false
  }

  static func files(below folder: URL, _ ending: String) throws -> [(name: String, text: String)] {
    let found =
      FileManager.default.enumerator(atPath: folder.path)?
      .compactMap { $0 as? String } ?? []
    return try found.filter { $0.hasSuffix(ending) }.sorted().map {
      ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
    }
  }

  /// Every literal in the sources that looks like a key.
  private func literals() throws -> Set<String> {
    var found: Set<String> = []
    for (_, text) in try Self.files(below: Self.sources, ".swift") {
      for match in text.matches(of: /"([a-z_]+(?:\.[a-z_0-9]+)+)"/) {
        found.insert(String(match.output.1))
      }
    }
    return found
  }

  @Test("Every text is used by a template or by the code")
  func used() throws {
    let instance = try TestInstance()
    let used = instance.instance.site.templates.usedTextKeys.union(try literals())
    let unused = instance.instance.site.catalogues.keys.filter {
      !used.contains($0) && !isBuilt($0) && !isOfPage($0, used)
    }
    #expect(unused == [])
  }

  @Test("Every key that the code names has a text")
  func named() throws {
    let catalogues = try TestInstance().instance.site.catalogues
    let modules = Set(catalogues.keys.map { $0.prefix { $0 != "." } })
    // Names of jobs and external events are not keys, nor are those of files.
    let others: Set = [
      "mail.purge", "email.bounced", "email.complained", "checkin.scan", "checkin.introduce",
      "groups.keep", "messages.purge", "moments.purge", "notices.purge", "notices.anniversaries",
      "mail.unreachable",
    ]
    let missing = try literals().filter { key in
      modules.contains(key.prefix { $0 != "." }) && !catalogues.contains(key)
        && !catalogues.contains("\(key).title") && !others.contains(key)
        && !key.hasSuffix(".json")
    }
    #expect(missing == [])
  }

  @Test("Chinese texts have full-width punctuation")
  func punctuation() throws {
    for language in ["zh-Hant", "zh-Hans"] {
      let file = Self.templates.appending(path: "locales/\(language).json")
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let isHalfWidth =
          line.contains(/[\p{Han}，。、（）「」“”]\s?[,:;!?()](?![\/\d])/)
          || line.contains(/[,:;!?()]\s?[\p{Han}（）「」]/) || line.contains(/\p{Han}\.(?!\w)/)
        #expect(!isHalfWidth, "\(language): \(line)")
      }
    }
  }

  @Test("Chinese texts have a space between Chinese and Latin characters or figures")
  func spaces() throws {
    for language in ["zh-Hant", "zh-Hans"] {
      let file = Self.templates.appending(path: "locales/\(language).json")
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        // `\p{Han}` alone is the script extension, which has 。、「 and 」 too.
        let isMissing = line.contains(/\p{Script=Han}[A-Za-z0-9]|[A-Za-z0-9%]\p{Script=Han}/)
        #expect(!isMissing, "\(language): \(line)")
      }
    }
  }

  @Test("Every status that the code answers with has its words")
  func statuses() throws {
    let catalogues = try TestInstance().instance.site.catalogues
    for status in [400, 401, 403, 404, 405, 413, 414, 421, 422, 429, 431, 500, 502, 503, 504, 507] {
      for part in ["title", "message"] {
        #expect(catalogues.contains("problem.s\(status).\(part)"), "\(status)")
      }
    }
  }

  @Test("No template has words of its own")
  func ownWords() throws {
    for (name, text) in try Self.files(below: Self.templates, ".mustache") {
      let plain = text.replacing(/\{\{\$(?:main|body)\}\}[^{]*\{\{\/(?:main|body)\}\}/, with: "")
        .replacing(/\{\{\$autocomplete\}\}[^{]*\{\{\/autocomplete\}\}/, with: "")
        .replacing(/\{\{\$(?:href|picture)\}\}[^{]*\{\{\/(?:href|picture)\}\}/, with: "")
        .replacing(/\{\{\$[a-z_]+\}\} aria-current="page"\{\{\/[a-z_]+\}\}/, with: "")
        .replacing(/\{\{\{[^}]*\}\}\}|\{\{[^}]*\}\}/, with: "")
        .replacing(/<style[^>]*>(?s:.)*?<\/style>/, with: "")
        .replacing(/<!--(?s:.)*?-->/, with: "").replacing(/<[^>]*>/, with: "")
        .replacing(/&[a-z#0-9]+;/, with: "")
      #expect(!plain.contains { $0.isLetter }, "\(name): \(plain)")
    }
  }

  @Test("No template has untranslated text in visible or spoken attributes")
  func attributes() throws {
    for (name, text) in try Self.files(below: Self.templates, ".mustache") {
      for match in text.matches(of: /(?:alt|title|placeholder|aria-label)="([^"]*)"/) {
        let plain = match.output.1.replacing(/\{\{[^}]*\}\}/, with: "")
        #expect(!plain.contains { $0.isLetter }, "\(name): \(plain)")
      }
    }
  }

  @Test("No template except those of mails has a script or style of its own")
  func inline() throws {
    for (name, text) in try Self.files(below: Self.templates, ".mustache")
    where !name.hasPrefix("mail/") {
      #expect(!text.contains("<style") && !text.contains(" style="), "\(name)")
      #expect(text.firstMatch(of: /\son[a-z]+="/) == nil, "\(name)")
      for match in text.matches(of: /<script([^>]*)>/) {
        #expect(match.output.1.contains("src="), "\(name)")
      }
    }
  }
}
