import Testing

@testable import Templates

@Suite("Templates that do not compile")
struct WrongTemplateTests {
  @Test("An unknown name is named with its place and the names that exist")
  func unknownName() {
    #expect(
      errorMessage(about: "a\n  {{#author}}{{nome}}{{/author}}")
        == """
        page.mustache:2:14: there is no “nome”; PersonView has: friends, name; \
        PageView has: author, body, days, guest, isOpen, layout, note, people, tags, title
        """)
  }

  @Test("An unknown name behind a dot is an error")
  func unknownDottedName() {
    #expect(
      errorMessage(about: "{{author.nome}}")
        == "page.mustache:1:1: “author.nome”: PersonView has no “nome”; it has: friends, name")
  }

  @Test("A dotted name does not go through a list or a text", arguments: ["people", "title"])
  func dottedThroughWrongKind(name: String) {
    #expect(errorMessage(about: "{{\(name).name}}")?.contains("in a field of kind") == true)
  }

  @Test("An unknown name in a partial is placed there")
  func unknownNameInPartial() {
    let errorMessage = errorMessage(about: "{{> card}}", partials: ["card": "\n{{nome}}"])
    #expect(errorMessage?.hasPrefix("card.mustache:2:1: there is no “nome”") == true)
  }

  @Test(
    "A field without text cannot be written",
    arguments: ["isOpen", "people", "author", "guest", "layout"])
  func notText(name: String) {
    #expect(errorMessage(about: "{{\(name)}}")?.hasPrefix("page.mustache:1:1: “\(name)”") == true)
  }

  @Test("Markup must be written unescaped, so that it is seen")
  func escapedMarkup() {
    #expect(
      errorMessage(about: "{{body}}")
        == "page.mustache:1:1: “body” is of kind markup: write {{{body}}}")
  }

  @Test("A person's text is never written unescaped", arguments: ["{{{title}}}", "{{&title}}"])
  func unescapedText(template: String) {
    #expect(
      errorMessage(about: template)
        == "page.mustache:1:1: “title” is of kind text, which is always escaped: write {{title}}")
  }

  @Test("The dot inside a text's section is not written unescaped")
  func unescapedDot() {
    #expect(errorMessage(about: "{{#title}}{{{.}}}{{/title}}")?.contains("always escaped") == true)
  }

  @Test("The dot of a view is an error")
  func dotOfView() {
    #expect(errorMessage(about: "{{.}}")?.contains("there is no “.”") == true)
  }

  @Test("An unknown partial is named with those that exist")
  func unknownPartial() {
    #expect(
      errorMessage(about: "{{> crad}}", partials: ["card": ""])
        == "page.mustache:1:1: there is no template “crad”; there are: card, page")
  }

  @Test("An unknown parent is an error")
  func unknownParent() {
    #expect(errorMessage(about: "{{<layout}}{{/layout}}")?.contains("no template “layout”") == true)
  }

  @Test("All partials among which a field chooses must exist")
  func unknownChoice() {
    #expect(
      errorMessage(about: "{{>*layout}}", partials: ["wide": ""])?
        .contains("no template “narrow”") == true)
  }

  @Test("A text does not choose a partial")
  func textAsPartial() {
    #expect(errorMessage(about: "{{>*title}}")?.contains("only one of kind partial") == true)
  }

  @Test(
    "A tag or section that is not closed, or closed wrongly, is an error",
    arguments: [
      ("{{#people}}", "1:1: the section “people” is not closed"),
      ("x{{/people}}", "1:2: “people” is closed but was not opened"),
      ("{{#people}}{{/tags}}", "1:12: “tags” is closed where “people” is open"),
      ("\n {{title", "2:2: the tag is not closed by “}}”"),
      ("{{{body}}", "1:1: the tag is not closed by “}}}”"),
      ("{{}}", "1:1: the tag names nothing"),
      ("{{a b}}", "1:1: the name “a b” holds white space"),
      ("{{=x=}}", "1:1: two delimiters are wanted here, as in {{=<% %>=}}"),
    ])
  func malformed(template: String, expected: String) {
    #expect(errorMessage(about: template) == "page.mustache:\(expected)")
  }

  @Test("A partial that contains itself without going deeper is refused")
  func endlessPartial() {
    for partial in ["{{> a}}", "{{#isOpen}}{{> a}}{{/isOpen}}", "{{#author}}{{> a}}{{/author}}"] {
      #expect(
        errorMessage(about: "{{> a}}", partials: ["a": partial])?.contains("contains itself")
          == true)
    }
  }

  @Test("A recursive partial whose indentation grows is refused")
  func growingIndentation() {
    let partial = "{{name}}\n{{#friends}}\n  {{> p}}\n{{/friends}}\n"
    #expect(
      errorMessage(about: "{{#people}}{{> p}}{{/people}}", partials: ["p": partial])?
        .contains("without indentation") == true)
  }
}
