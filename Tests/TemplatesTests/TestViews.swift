import Core

@testable import Templates

/// A page with every kind of field.
struct PageView: View {
  var title = "Tea & <cake>"
  var note: String?
  var days = 3
  var isOpen = true
  var tags: [String] = []
  var people: [PersonView] = []
  var author = PersonView(name: "Mei")
  var guest: PersonView?
  var body = Markup(trusted: "<b>bold</b>")
  var layout = ""

  static let fields: [String: Field<Self>] = [
    "title": .text(\.title),
    "note": .optionalText(\.note),
    "days": .integer(\.days),
    "isOpen": .flag(\.isOpen),
    "tags": .list(\.tags),
    "people": .list(\.people),
    "author": .child(\.author),
    "guest": .optional(\.guest),
    "body": .markup(\.body),
    "layout": .partial(among: ["wide", "narrow"], \.layout),
  ]
}

struct PersonView: View {
  var name: String
  var friends: [PersonView] = []

  static let fields: [String: Field<Self>] = [
    "name": .text(\.name),
    "friends": .list(\.friends),
  ]
}

/// Compiles the template and renders it.
func rendered<V: View>(
  _ template: String, _ view: V, partials: [String: String] = [:],
  catalogues: Catalogues? = nil, in language: Language = .english
) throws -> String {
  var sources = partials.mapValues { Array($0.utf8) }
  sources["page"] = Array(template.utf8)
  let program = try Compiler.program(
    "page", for: Shape(V.self), library: Library(sources: sources),
    catalogues: catalogues ?? .none, language: language)
  var output = Output()
  withUnsafePointer(to: view) { program.render(UnsafeRawPointer($0), into: &output) }
  return String(decoding: output.bytes, as: UTF8.self)
}

func rendered(_ template: String, partials: [String: String] = [:]) throws -> String {
  try rendered(template, PageView(), partials: partials)
}

/// The error of a template that does not compile; nil if it does.
func errorMessage(
  about template: String, partials: [String: String] = [:], catalogues: Catalogues? = nil
) -> String? {
  do {
    _ = try rendered(template, PageView(), partials: partials, catalogues: catalogues)
    return nil
  } catch {
    return "\(error)"
  }
}
