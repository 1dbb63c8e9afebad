import Core
import Testing

@testable import Templates

@Suite("The frame of a page")
struct FrameTests {
  private struct Outer: View {
    var title = "Frame"
    var author: PersonView?

    static let fields: [String: Field<Self>] = [
      "title": .text(\.title), "author": .optional(\.author),
    ]
  }

  /// Content with a name of its own that hides the frame.
  private struct Hiding: View {
    static let fields: [String: Field<Self>] = ["page": .child { _ in PersonView(name: "own") }]
  }

  private let folder = TemplateFolder()

  private func rendered<V: View>(
    _ template: String, _ view: V, in frame: Outer = Outer()
  ) throws -> String {
    try folder.write("a.mustache", template)
    try folder.write(
      "partials/list.mustache", "{{#people}}{{name}}{{> partials/friends}}{{/people}}")
    try folder.write(
      "partials/friends.mustache",
      "{{#friends}}({{page.title}} {{name}}{{> partials/friends}}){{/friends}}")
    let set = try folder.open()
    let page = try set.template("a", V.self, in: Outer.self, named: "page")
    return String(decoding: page.render(view, in: frame, .english), as: UTF8.self)
  }

  @Test("Its fields are found by its name, the content's without")
  func names() throws {
    #expect(try rendered("{{page.title}}: {{title}}", PageView(title: "x")) == "Frame: x")
  }

  @Test("A field inside a field of it, and its sections")
  func sections() throws {
    let template =
      "{{#page.author}}{{name}} {{page.author.name}}{{/page.author}}{{^page.author}}-{{/page.author}}"
    #expect(try rendered(template, PageView()) == "-")
    let frame = Outer(author: PersonView(name: "Mei"))
    #expect(try rendered(template, PageView(), in: frame) == "Mei Mei")
  }

  @Test("It is found inside lists, partials and partials that contain themselves")
  func nested() throws {
    let people = [
      PersonView(name: "a", friends: [PersonView(name: "b", friends: [PersonView(name: "c")])]),
      PersonView(name: "d"),
    ]
    #expect(
      try rendered("{{> partials/list}}", PageView(people: people))
        == "a(Frame b(Frame c))d")
  }

  @Test("A field of the content hides it")
  func hidden() throws {
    #expect(try rendered("{{page.name}}", Hiding()) == "own")
  }

  @Test("An unknown name is an error that lists those that exist")
  func unknown() throws {
    let error = #expect(throws: TemplateError.self) { try rendered("{{page.titel}}", PageView()) }
    #expect("\(try #require(error))".contains("has no “titel”; it has: author, title"))
  }
}
