import Testing

@testable import Templates

@Suite("Partials, parents and blocks beyond the official suite")
struct InheritanceTests {
  @Test("A page fills its layout's blocks, each line indented as its place is")
  func layout() throws {
    let layout = """
      <body>
        <main>
          {{$content}}{{/content}}
        </main>
      </body>

      """
    let page = """
      {{<layout}}
      {{$content}}
      <h1>{{title}}</h1>
      {{#isOpen}}
        <p>Open</p>
      {{/isOpen}}
      {{/content}}
      {{/layout}}

      """
    #expect(
      try rendered(page, partials: ["layout": layout])
        == """
        <body>
          <main>
            <h1>Tea &amp; &lt;cake&gt;</h1>
              <p>Open</p>

          </main>
        </body>

        """)
  }

  @Test("A block inside a page's content is not filled by the page's own block of that name")
  func lexicalBlocks() throws {
    let page =
      "{{<layout}}{{$title}}page{{/title}}{{$content}}{{<card}}{{/card}}{{/content}}{{/layout}}"
    #expect(
      try rendered(
        page,
        partials: [
          "layout": "{{$title}}{{/title}}:{{$content}}{{/content}}",
          "card": "{{$title}}card{{/title}}",
        ]) == "page:card")
  }

  @Test("Nested partials add their indentation, and empty lines stay empty")
  func nestedIndentation() throws {
    #expect(
      try rendered(
        "  {{> a}}\n", partials: ["a": "a\n\n  {{> b}}\n", "b": "{{title}}\n{{days}}\n"])
        == "  a\n\n    Tea &amp; &lt;cake&gt;\n    3\n")
  }

  @Test("A person's lines are not indented")
  func personsLines() throws {
    #expect(
      try rendered("  {{> a}}\n", PageView(title: "x\ny"), partials: ["a": "{{title}}\n"])
        == "  x\ny\n")
  }

  @Test("Text behind a section's end at the beginning of a line is indented")
  func afterSection() throws {
    #expect(
      try rendered("  {{> a}}\n", partials: ["a": "{{#isOpen}}\nx\n{{/isOpen}} y\n"])
        == "  x\n   y\n")
  }
}
