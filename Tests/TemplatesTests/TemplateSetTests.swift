import Core
import Foundation
import Testing

@testable import Templates

@Suite("A set of templates")
struct TemplateSetTests {
  private let folder = TemplateFolder()

  @Test("Templates are found by their paths and rendered in each language")
  func render() throws {
    try folder.write("feed/feed.mustache", "{{t.word}} {{> partials/name}}")
    try folder.write("partials/name.mustache", "{{title}}")
    let set = try folder.open()
    let template = try set.template("feed/feed", PageView.self)
    #expect(set.names == ["feed/feed", "partials/name"])
    #expect(text(template, PageView(title: "x"), .english) == "en x")
    #expect(text(template, PageView(title: "x"), .simplifiedChinese) == "zh-Hans x")
    #expect(set.usedTextKeys == ["word"])
  }

  @Test("Errors in any language are found before a page is shown")
  func otherLanguages() throws {
    try folder.write("a.mustache", "{{t.word}}")
    try folder.write("b.mustache", "{{t.nothing}}")
    let set = try folder.open()
    let template = try set.template("a", PageView.self)
    #expect(throws: TemplateError.self) { try set.template("b", PageView.self) }
    for language in [Language.traditionalChinese, .english, .simplifiedChinese] {
      #expect(text(template, PageView(), language) == language.rawValue)
      #expect(text(template, PageView(), language) == language.rawValue)
    }
    // Catalogues that differ in more than their texts are invalid.
    try folder.write("locales/zh-Hans.json", #"{"word": "{name}"}"#)
    #expect(throws: CatalogueError.self) { _ = try set.reloadIfChanged() }
    #expect(text(template, PageView(), .simplifiedChinese) == "zh-Hans")
  }

  @Test("An unknown template is named with those that exist")
  func unknown() throws {
    try folder.write("feed/feed.mustache", "")
    let set = try folder.open()
    let error = #expect(throws: TemplateError.self) { try set.template("feed", PageView.self) }
    #expect(
      error?.description == "feed.mustache: there is no template “feed”; there are: feed/feed")
  }

  @Test("A file that does not parse is an error at the start")
  func malformed() throws {
    try folder.write("a.mustache", "{{#x}}")
    #expect(throws: TemplateError.self) { try folder.open() }
  }

  @Test("Nothing is compiled again while nothing changed")
  func unchanged() throws {
    try folder.write("a.mustache", "a")
    let set = try folder.open()
    #expect(try !set.reloadIfChanged())
  }

  @Test("A changed file shows in a template made before")
  func changed() throws {
    try folder.write("a.mustache", "old")
    let set = try folder.open()
    let template = try set.template("a", PageView.self)
    try folder.write("a.mustache", "new {{days}}")
    #expect(try set.reloadIfChanged())
    #expect(text(template) == "new 3")
    #expect(try !set.reloadIfChanged())
  }

  @Test("A changed catalogue shows in a template made before")
  func changedCatalogue() throws {
    try folder.write("a.mustache", "{{t.word}}")
    let set = try folder.open()
    let template = try set.template("a", PageView.self)
    try folder.write("locales/en.json", #"{"word": "another"}"#)
    #expect(try set.reloadIfChanged())
    #expect(text(template) == "another")
    #expect(set.catalogues.text("word", in: .english) == "another")
  }

  @Test("A broken file keeps the old page, and its error stays until it is mended")
  func broken() throws {
    try folder.write("a.mustache", "old")
    let set = try folder.open()
    let template = try set.template("a", PageView.self)
    try folder.write("a.mustache", "{{nome}}")
    #expect(throws: TemplateError.self) { try set.reloadIfChanged() }
    #expect(throws: TemplateError.self) { try set.reloadIfChanged() }
    #expect(text(template) == "old")
    try folder.write("a.mustache", "mended")
    #expect(try set.reloadIfChanged())
    #expect(text(template) == "mended")
  }

  @Test("A broken catalogue keeps the old page")
  func brokenCatalogue() throws {
    try folder.write("a.mustache", "{{t.word}}")
    let set = try folder.open()
    let template = try set.template("a", PageView.self)
    try folder.write("locales/en.json", "{}")
    #expect(throws: CatalogueError.self) { try set.reloadIfChanged() }
    #expect(text(template) == "en")
  }

  @Test("A partial made later is found")
  func newFile() throws {
    try folder.write("a.mustache", "a")
    let set = try folder.open()
    let template = try set.template("a", PageView.self)
    try folder.write("b.mustache", "b")
    try folder.write("a.mustache", "a{{> b}}")
    #expect(try set.reloadIfChanged())
    #expect(text(template) == "ab")
  }

  @Test("Checked ones are compiled on first use, in each language")
  func checked() throws {
    try folder.write("a.mustache", "{{> parts/word}} {{days}}")
    try folder.write("parts/word.mustache", "{{t.word}}")
    try folder.write("b.mustache", "{{nobody_knows}} {{#")
    let set = try folder.open(isChecked: true)
    let template = try set.template("a", PageView.self)
    #expect(throws: Never.self) { try set.template("b", PageView.self) }
    let error = #expect(throws: TemplateError.self) { try set.template("c", PageView.self) }
    #expect(
      error?.description == "c.mustache: there is no template “c”; there are: a, b, parts/word")
    for language in Language.allCases {
      #expect(text(template, PageView(), language) == "\(language.rawValue) 3")
    }
  }

  @Test("A stamp is another one as soon as a template, a text or the program is")
  func stamps() throws {
    try folder.write("a.mustache", "a")
    try folder.write("program", "one")
    _ = try folder.open()
    #expect(try #require(folder.stamp).contains("a.mustache"))
    var known: Set<String?> = []
    func isNew() -> Bool { known.insert(folder.stamp).inserted }
    #expect(isNew())
    #expect(!isNew())
    for file in ["a.mustache", "b/c.mustache", "locales/zh-Hans.json", "program"] {
      try folder.write(file, "another")
      #expect(isNew(), "\(file)")
    }
    try folder.write("notes.txt", "no template")
    #expect(!isNew())
    #expect(
      TemplateSet.stamp(directory: "/nowhere", catalogues: "/nowhere", program: "/nowhere") == nil)
  }

  @Test("Eight threads render while the files change, and each page is wholly old or new")
  func threads() throws {
    let pages = (0..<2).map { page in String(repeating: "\(page)", count: 500 * (page + 1)) }
    try folder.write("a.mustache", pages[0])
    let set = try folder.open()
    let template = try set.template("a", PageView.self)
    let folder = folder
    DispatchQueue.concurrentPerform(iterations: 9) { thread in
      for turn in 0..<40 {
        if thread == 8 {
          #expect(throws: Never.self) { try folder.write("a.mustache", pages[turn % 2]) }
        }
        #expect(throws: Never.self) { try set.reloadIfChanged() }
        for _ in 0..<20 {
          #expect(pages.contains(text(template)))
        }
      }
    }
  }

  private func text(
    _ template: Template<PageView>, _ view: PageView = PageView(), _ language: Language = .english
  ) -> String {
    String(decoding: template.render(view, in: language), as: UTF8.self)
  }
}

/// A directory of templates, deleted with the test.
final class TemplateFolder: Sendable {
  private let path = NSTemporaryDirectory() + "/templates-\(UUID().uuidString)"

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func write(_ file: String, _ text: String) throws {
    let url = URL(fileURLWithPath: "\(path)/\(file)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url, options: .atomic)
  }

  /// Catalogues with one text, the language's own name, unless they were written before.
  func open(isChecked: Bool = false) throws -> TemplateSet {
    for language in Language.allCases {
      try write("locales/\(language.rawValue).json", #"{"word": "\#(language.rawValue)"}"#)
    }
    return try TemplateSet(
      directory: path, catalogues: Catalogues(directory: "\(path)/locales"),
      isChecked: isChecked)
  }

  var stamp: String? {
    TemplateSet.stamp(
      directory: path, catalogues: "\(path)/locales", program: "\(path)/program")
  }
}
