/// A value in the official suite's data.
enum JSONValue: Decodable, Sendable {
  case null
  case flag(Bool)
  case integer(Int)
  case decimal(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let integer = try? container.decode(Int.self) {
      self = .integer(integer)
    } else if let decimal = try? container.decode(Double.self) {
      self = .decimal(decimal)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([JSONValue].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  subscript(key: String) -> JSONValue {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  var elements: [JSONValue] {
    if case .list(let elements) = self { elements } else { [] }
  }

  var shown: String {
    switch self {
    case .integer(let integer): "\(integer)"
    case .decimal(let decimal): "\(decimal)"
    case .text(let text): text
    case .null, .flag, .list, .object: ""
    }
  }

  var isTrue: Bool {
    if case .flag(let flag) = self { flag } else { false }
  }

  /// Declares a name used by a template: if absent it is null, at the root and in every object that
  /// has its first part.
  mutating func declare(_ parts: ArraySlice<String>, isRoot: Bool = true) {
    guard let first = parts.first else { return }
    switch self {
    case .list(let elements):
      self = .list(
        elements.map { element in
          var element = element
          element.declare(parts, isRoot: false)
          return element
        })
    case .object(var members):
      for key in members.keys {
        members[key]?.declare(parts, isRoot: false)
      }
      if isRoot || members[first] != nil {
        var member = members[first] ?? .null
        member.declarePath(parts.dropFirst())
        members[first] = member
      }
      self = .object(members)
    case .null, .flag, .integer, .decimal, .text: break
    }
  }

  /// Makes this an object with the rest of a dotted name.
  private mutating func declarePath(_ parts: ArraySlice<String>) {
    guard let first = parts.first else { return }
    var members: [String: JSONValue] = [:]
    if case .object(let known) = self { members = known }
    var member = members[first] ?? .null
    member.declarePath(parts.dropFirst())
    members[first] = member
    self = .object(members)
  }
}
