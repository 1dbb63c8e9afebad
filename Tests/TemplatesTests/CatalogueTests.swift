import Core
import Testing

@testable import Templates

@Suite("Catalogues")
struct CatalogueTests {
  private func problems(english: String, chinese: String) -> [String] {
    do {
      _ = try Catalogues(texts: [
        .english: english, .traditionalChinese: chinese, .simplifiedChinese: chinese,
      ])
      return []
    } catch {
      return (error as? CatalogueError)?.problems ?? ["\(error)"]
    }
  }

  @Test("Objects join their keys with dots")
  func nested() throws {
    let source = #"{"feed": {"title": "Feed"}, "a.b": "x"}"#
    let catalogues = try Catalogues(texts: [
      .english: source, .traditionalChinese: source, .simplifiedChinese: source,
    ])
    #expect(catalogues.keys == ["a.b", "feed.title"])
    #expect(catalogues.contains("feed.title") && !catalogues.contains("feed"))
  }

  @Test("An unknown key is returned itself")
  func unknownKey() throws {
    #expect(try Catalogues.none.text("a.b", in: .english) == "a.b")
  }

  @Test("Parameters are put in, not escaped, and plurals are chosen by the count")
  func plural() throws {
    let catalogues = try Catalogues.sample
    #expect(catalogues.text("hello", in: .english, ["title": "<Mei>"]) == "Hello <Mei> & all")
    #expect(catalogues.text("streak", in: .english, count: 1) == "1 day")
    #expect(catalogues.text("streak", in: .english, count: 1_205) == "1,205 days")
    #expect(catalogues.text("streak", in: .traditionalChinese, count: 1) == "1 天")
  }

  @Test("A missing key is a problem in each language that lacks it")
  func missing() {
    #expect(
      problems(english: #"{"a": "x"}"#, chinese: "{}")
        == ["zh-Hant.json: “a” is missing", "zh-Hans.json: “a” is missing"])
    #expect(
      problems(english: "{}", chinese: #"{"a": "x"}"#) == ["en.json: “a” is missing"])
  }

  @Test("Parameters must be the same in all languages")
  func parameters() {
    #expect(
      problems(english: #"{"a": "{x}"}"#, chinese: #"{"a": "{y}"}"#).first
        == "zh-Hant.json: “a” has the parameters y, elsewhere x")
  }

  @Test(
    "Wrong forms of a plural are a problem",
    arguments: [
      (#"{"a": {"other": "x"}}"#, #"{"a": {"other": "x"}}"#),
      (#"{"a": {"one": "x", "other": "x"}}"#, #"{"a": {"one": "x", "other": "x"}}"#),
      (#"{"a": {"one": "x", "few": "x", "other": "x"}}"#, #"{"a": {"other": "x"}}"#),
      (#"{"a": {"one": "x", "other": "x"}}"#, #"{"a": "x"}"#),
      (#"{"a": {"one": "x", "other": "x", "by": "n"}}"#, #"{"a": {"other": "x"}}"#),
      (#"{"a": {"one": 1, "other": "x"}}"#, #"{"a": {"other": "x"}}"#),
    ])
  func pluralForms(english: String, chinese: String) {
    #expect(!problems(english: english, chinese: chinese).isEmpty)
  }

  @Test(
    "A value that is no text, empty, or has a stray brace is a problem",
    arguments: [#"{"a": 1}"#, #"{"a": ""}"#, #"{"a": "{"}"#, #"{"a": "x}"}"#, #"{"a": "{b c}"}"#])
  func malformedText(source: String) {
    #expect(problems(english: source, chinese: source).count == 3)
  }

  @Test("A file that is not JSON is a problem")
  func notJSON() {
    #expect(
      problems(english: "{", chinese: "{}").first?.hasPrefix("en.json: is not JSON") == true)
  }

  @Test(
    "A duplicate key is a problem",
    arguments: [
      (#"{"a.b": "x", "a": {"b": "y"}}"#, "a.b"), (#"{"a": "x", "b": "y", "a": "z"}"#, "a"),
      (#"{"a": "x", "a" : {"other": "y", "by": "n"}}"#, "a"),
      (#"{"a": {"c": "x", "c": "x"}, "b": "y"}"#, "c"),
    ])
  func twice(source: String, key: String) {
    #expect(problems(english: source, chinese: source).first == "en.json: “\(key)” stands twice")
  }

  @Test("The same name in two objects, and in a text, is no duplicate")
  func notTwice() {
    let source = #"{"a": {"d": "\"d\": \\"}, "b": {"d": "b"}, "c": "a: {x}"}"#
    #expect(problems(english: source, chinese: source) == [])
  }

  @Test("A directory without the files names them all")
  func missingFiles() {
    let error = #expect(throws: CatalogueError.self) {
      try Catalogues(directory: "/nowhere")
    }
    #expect(error?.problems.count == 3)
  }
}

extension Catalogues {
  /// Texts for `PageView`.
  static var sample: Catalogues {
    get throws {
      try Catalogues(texts: [
        .english: """
        {"plain": "5 < 6", "hello": "Hello {title} & all", "by": "By {author.name}",
         "streak": {"one": "{days} day", "other": "{days} days", "by": "days"},
         "wrong": "{people}", "unknown": "{nobody}",
         "titled": {"one": "a", "other": "b", "by": "title"}}
        """,
        .traditionalChinese: chinese("天"), .simplifiedChinese: chinese("天"),
      ])
    }
  }

  private static func chinese(_ day: String) -> String {
    """
    {"plain": "五 < 六", "hello": "你好 {title}", "by": "{author.name} 寫",
     "streak": {"other": "{days} \(day)", "by": "days"},
     "wrong": "{people}", "unknown": "{nobody}", "titled": {"other": "b", "by": "title"}}
    """
  }
}
