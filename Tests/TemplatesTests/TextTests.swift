import Core
import Testing

@testable import Templates

@Suite("Texts in templates")
struct TextTests {
  private func page(
    _ template: String, _ view: PageView = PageView(), in language: Language = .english
  ) throws -> String {
    try rendered(template, view, catalogues: .sample, in: language)
  }

  @Test("A text is written in the language asked for, escaped")
  func plain() throws {
    #expect(try page("{{t.plain}}") == "5 &lt; 6")
    #expect(try page("{{t.plain}}", in: .traditionalChinese) == "五 &lt; 六")
  }

  @Test("A text's parameters are the view's fields, escaped")
  func parameters() throws {
    #expect(try page("{{t.hello}}") == "Hello Tea &amp; &lt;cake&gt; &amp; all")
  }

  @Test("A dotted parameter reaches into a child")
  func dottedParameter() throws {
    #expect(try page("{{t.by}}") == "By Mei")
  }

  @Test("A parameter is found in an outer view")
  func outerParameter() throws {
    #expect(
      try page("{{#people}}{{t.streak}}{{/people}}", PageView(people: [PersonView(name: "x")]))
        == "3 days")
  }

  @Test(
    "The plural follows the number, which is grouped",
    arguments: [(0, "0 days"), (1, "1 day"), (2, "2 days"), (1_205, "1,205 days")])
  func plural(days: Int, expected: String) throws {
    #expect(try page("[{{t.streak}}]!", PageView(days: days)) == "[\(expected)]!")
  }

  @Test("Chinese has one form")
  func chinesePlural() throws {
    #expect(
      try page("{{t.streak}}", PageView(days: 1), in: .simplifiedChinese) == "1 天")
  }

  @Test(
    "A text that cannot be written is an error",
    arguments: [
      ("{{t.plian}}", "there is no text “plian”"),
      ("{{&t.plain}}", "always escaped"),
      ("{{{t.plain}}}", "always escaped"),
      ("{{#t.plain}}{{/t.plain}}", "cannot be a section"),
      ("{{t.unknown}}", "wants “nobody”: there is no “nobody”; PageView has: author"),
      ("{{t.wrong}}", "wants “people”, which is of kind list"),
      ("{{t.titled}}", "chooses its plural by “title”"),
    ])
  func wrong(template: String, expected: String) throws {
    let errorMessage = errorMessage(about: template, catalogues: try .sample)
    #expect(errorMessage?.hasPrefix("page.mustache:1:1: ") == true)
    #expect(errorMessage?.contains(expected) == true)
  }
}
