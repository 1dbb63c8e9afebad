import Foundation

/// A form of a page with `method="post"`, as a browser would send it.
struct PageForm {
  let action: String
  /// Name and value of every field except files, in order, each name once.
  private(set) var fields: [(name: String, value: String)] = []
  /// Names of multi-line fields.
  private(set) var paragraphs: Set<String> = []

  fileprivate init(action: String) {
    self.action = action
  }

  /// The fields with another value for one of them.
  func with(_ name: String, _ value: String) -> [(String, String)] {
    fields.map { $0.name == name ? (name, value) : ($0.name, $0.value) }
  }

  fileprivate mutating func take(_ tag: String, _ attributes: [String: String], body: Substring) {
    guard let name = attributes["name"], !name.isEmpty else { return }
    let type = attributes["type"] ?? "text"
    var value = attributes["value"] ?? ""
    if type == "file" { return }
    if tag == "textarea" {
      paragraphs.insert(name)
      value = TestResponse.unescaped(String(body.prefix { $0 != "<" }))
    }
    if tag == "select" {
      let options = body.prefix(upTo: body.range(of: "</select>")?.lowerBound ?? body.endIndex)
      let chosen = options.range(of: " selected").map { options[..<$0.lowerBound] } ?? options
      let values = chosen.matches(of: /value="([^"]*)"/).map { String($0.output.1) }
      value = TestResponse.unescaped((chosen == options ? values.first : values.last) ?? "")
    }
    let isOff = (type == "radio" || type == "checkbox") && attributes["checked"] == nil
    if let known = fields.firstIndex(where: { $0.name == name }) {
      if !isOff, tag == "input", type == "radio" { fields[known].value = value }
      return
    }
    if value.isEmpty { value = Self.plausible(type, name) }
    fields.append((name, value))
  }

  /// A plausible value for a field.
  private static func plausible(_ type: String, _ name: String) -> String {
    switch type {
    case "email": "\(name)@example.test"
    case "password": TestInstance.password
    case "date": "2026-03-01"
    case "number": "1"
    case "hidden": ""
    default: "a"
    }
  }
}

extension TestResponse {
  /// Every form of the page that is sent by POST.
  var forms: [PageForm] {
    text.matches(of: /<form([^>]*)>/).compactMap { found in
      let attributes = Self.attributes(found.output.1)
      guard attributes["method"] == "post", let action = attributes["action"] else { return nil }
      var form = PageForm(action: action)
      let rest = text[found.range.upperBound...]
      let inside = rest.prefix(upTo: rest.range(of: "</form>")?.lowerBound ?? rest.endIndex)
      for control in inside.matches(of: /<(input|textarea|select|button)\b([^>]*)>/) {
        form.take(
          String(control.output.1), Self.attributes(control.output.2),
          body: inside[control.range.upperBound...])
      }
      return form
    }
  }

  /// The addresses on this site that the page links to.
  var links: [String] {
    text.matches(of: /href="(\/[^"#]*)/).map { Self.unescaped(String($0.output.1)) }
  }

  private static func attributes(_ text: Substring) -> [String: String] {
    var found: [String: String] = [:]
    for match in text.matches(of: /([a-z-]+)(="([^"]*)")?/) {
      found[String(match.output.1)] = unescaped(match.output.3.map(String.init) ?? "")
    }
    return found
  }

  static func unescaped(_ text: String) -> String {
    text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
  }
}
