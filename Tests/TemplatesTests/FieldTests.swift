import Testing

@testable import Templates

@Suite("Fields")
struct FieldTests {
  @Test("A text is escaped")
  func text() throws {
    #expect(try rendered("{{title}}") == "Tea &amp; &lt;cake&gt;")
  }

  @Test("A text is a section when not empty, and the value inside it")
  func textSection() throws {
    let template = "{{#title}}[{{.}}]{{/title}}{{^title}}none{{/title}}"
    #expect(try rendered(template, PageView(title: "a")) == "[a]")
    #expect(try rendered(template, PageView(title: "")) == "none")
  }

  @Test("An absent text writes nothing and hides its section")
  func optionalText() throws {
    let template = "<{{note}}>{{#note}}yes{{/note}}{{^note}}no{{/note}}"
    #expect(try rendered(template, PageView(note: nil)) == "<>no")
    #expect(try rendered(template, PageView(note: "n")) == "<n>yes")
  }

  @Test("A number is written in plain digits", arguments: [0, 7, -12, 1_205, Int.max, Int.min])
  func integer(days: Int) throws {
    #expect(try rendered("{{days}}", PageView(days: days)) == "\(days)")
  }

  @Test("A number is a section when not zero")
  func integerSection() throws {
    let template = "{{#days}}{{.}} left{{/days}}{{^days}}over{{/days}}"
    #expect(try rendered(template, PageView(days: 2)) == "2 left")
    #expect(try rendered(template, PageView(days: 0)) == "over")
  }

  @Test("A flag shows its section or the inverted one")
  func flag() throws {
    let template = "{{#isOpen}}open{{/isOpen}}{{^isOpen}}shut{{/isOpen}}"
    #expect(try rendered(template, PageView(isOpen: true)) == "open")
    #expect(try rendered(template, PageView(isOpen: false)) == "shut")
  }

  @Test("A list shows its section for each element, with the outer names visible")
  func list() throws {
    let people = [PersonView(name: "Jun"), PersonView(name: "Sam")]
    #expect(
      try rendered("{{#people}}{{name}}:{{days}} {{/people}}", PageView(people: people))
        == "Jun:3 Sam:3 ")
  }

  @Test("A list of plain texts gives each as the dot")
  func plainList() throws {
    #expect(try rendered("{{#tags}}({{.}}){{/tags}}", PageView(tags: ["a", "<"])) == "(a)(&lt;)")
  }

  @Test("An empty list shows its inverted section")
  func emptyList() throws {
    #expect(try rendered("{{#people}}x{{/people}}{{^people}}nobody{{/people}}") == "nobody")
  }

  @Test("Dotted names reach into a child")
  func child() throws {
    #expect(try rendered("{{author.name}} {{#author}}{{name}}{{/author}}") == "Mei Mei")
  }

  @Test("An absent child shows nothing by its dotted names and its section")
  func absentChild() throws {
    let template = "[{{guest.name}}]{{#guest}}here{{/guest}}{{^guest}}away{{/guest}}"
    #expect(try rendered(template) == "[]away")
    #expect(try rendered(template, PageView(guest: PersonView(name: "Jun"))) == "[Jun]here")
  }

  @Test("A dotted list inside an absent child is empty")
  func dottedList() throws {
    let template =
      "{{#guest.friends}}{{name}}{{/guest.friends}}{{^guest.friends}}-{{/guest.friends}}"
    let guest = PersonView(name: "Jun", friends: [PersonView(name: "Sam")])
    #expect(try rendered(template) == "-")
    #expect(try rendered(template, PageView(guest: guest)) == "Sam")
  }

  @Test("Markup is written as it is")
  func markup() throws {
    #expect(try rendered("{{{body}}}{{&body}}") == "<b>bold</b><b>bold</b>")
  }

  @Test("A partial is chosen among those declared, and another name shows nothing")
  func chosenPartial() throws {
    let partials = ["wide": "W{{days}}", "narrow": "N"]
    #expect(
      try rendered("{{>*layout}}", PageView(layout: "wide"), partials: partials) == "W3")
    #expect(try rendered("{{>*layout}}", PageView(layout: "page"), partials: partials) == "")
  }

  @Test("Each element of a recursive partial sees its own names")
  func recursion() throws {
    let people = [
      PersonView(name: "a", friends: [PersonView(name: "b", friends: [PersonView(name: "c")])]),
      PersonView(name: "d"),
    ]
    let person = "{{name}}{{days}}({{#friends}}{{> person}}{{/friends}}){{name}}"
    #expect(
      try rendered(
        "{{#people}}{{> person}}{{/people}}", PageView(people: people),
        partials: ["person": person]) == "a3(b3(c3()c)b)ad3()d")
  }
}
