import Core

/// Many numbers or texts as one value of a statement, as `IDList` is for identifiers.
///
/// Interpolated into a `Query` it is a subquery with the column `value`: `WHERE s.host NOT IN
/// \(ValueList(hosts))`, `FROM \(ValueList(days)) d CROSS JOIN couples c WHERE c.anniversary =
/// d.value`.
public struct ValueList: Sendable {
  let subquery: Query

  public init(_ days: some Collection<LocalDay>) {
    let json = Self.array(days.map { String($0.number) })
    subquery = Query(
      sqlite: "(SELECT value FROM json_each(\(json)))",
      postgresql: """
        (SELECT day::bigint AS value FROM json_array_elements_text(\(json)::json) AS day)
        """)
  }

  public init(_ texts: some Collection<String>) {
    let json = Self.array(texts.map(Self.quoted))
    subquery = Query(
      sqlite: "(SELECT value FROM json_each(\(json)))",
      postgresql: "(SELECT value FROM json_array_elements_text(\(json)::json))")
  }

  private static func array(_ values: [String]) -> String {
    "[\(values.joined(separator: ","))]"
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\0"..<" ": "\\u00\(Hex.text([UInt8(scalar.value)]))"
      default: "\(scalar)"
      }
    }
    return "\"\(escaped.joined())\""
  }
}
