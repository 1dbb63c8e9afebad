extension JSON {
  /// The value indented for readers: two spaces a level, short lists on one line.
  func pretty(indent: Int = 0) -> String {
    let inner = String(repeating: " ", count: indent + 2)
    let outer = String(repeating: " ", count: indent)
    switch self {
    case .object(let members) where !members.isEmpty:
      let lines = members.map {
        "\(inner)\(JSONStringWriter.quoted($0.name)): \($0.value.pretty(indent: indent + 2))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(outer)}"
    case .list(let values) where !values.isEmpty:
      return "[\(values.map { $0.pretty(indent: indent) }.joined(separator: ", "))]"
    default: return String(decoding: bytes, as: UTF8.self)
    }
  }
}
