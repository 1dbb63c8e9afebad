/// The schema of a JSON value (JSON Schema 2020-12, as OpenAPI 3.1 uses it).
public struct JSONSchema: Sendable {
  /// A schema that others refer to by name.
  struct Named: Sendable {
    let name: String
    /// A function, because a schema may contain itself.
    let make: @Sendable () -> JSONSchema
  }

  /// The keywords of this schema alone.
  let keywords: [JSON.Member]
  /// The named schemas that this one refers to.
  let named: [Named]

  init(_ keywords: JSON, named: [Named] = []) {
    if case .object(let members) = keywords { self.keywords = members } else { self.keywords = [] }
    self.named = named
  }

  /// One type with further keywords: `.type("string", ["format": "uuid"])`.
  public static func type(_ name: String, _ more: JSON = [:]) -> JSONSchema {
    var members = [JSON.Member("type", .text(name))]
    if case .object(let others) = more { members += others }
    return JSONSchema(.object(members))
  }

  /// A reference to a schema in the document's components.
  static func reference(
    _ name: String, _ make: @escaping @Sendable () -> JSONSchema
  ) -> JSONSchema {
    JSONSchema(
      ["$ref": .text("#/components/schemas/\(name)")], named: [Named(name: name, make: make)])
  }

  static func list(of element: JSONSchema, maximum: Int? = nil) -> JSONSchema {
    var members: [JSON.Member] = [
      .init("type", "array"), .init("items", .object(element.keywords)),
    ]
    if let maximum { members.append(.init("maxItems", .integer(Int64(maximum)))) }
    return JSONSchema(.object(members), named: element.named)
  }

  /// The schema of an object with its members in order.
  static func object(
    _ members: [(name: String, schema: JSONSchema)], required: [String]
  ) -> JSONSchema {
    var keywords: [JSON.Member] = [
      .init("type", "object"),
      .init(
        "properties", .object(members.map { .init($0.name, .object($0.schema.keywords)) })),
    ]
    if !required.isEmpty {
      keywords.append(.init("required", .list(required.map { .text($0) })))
    }
    return JSONSchema(.object(keywords), named: members.flatMap(\.schema.named))
  }

  /// The same schema, or null.
  var orNull: JSONSchema {
    var changed: [JSON.Member] = []
    for member in keywords {
      switch (member.name, member.value) {
      case ("type", .text(let name)):
        changed.append(.init("type", .list([.text(name), "null"])))
      case ("enum", .list(let values)) where !values.contains(.null):
        changed.append(.init("enum", .list(values + [.null])))
      case ("$ref", _):
        return JSONSchema(
          ["anyOf": [.object(keywords), ["type": "null"]]], named: named)
      default: changed.append(member)
      }
    }
    return JSONSchema(.object(changed), named: named)
  }

  /// The same schema without null, for fields that are absent instead.
  var notNull: JSONSchema {
    JSONSchema(
      .object(
        keywords.map { member in
          guard case .list(let values) = member.value else { return member }
          let others = values.filter { $0 != .null && $0 != "null" }
          if member.name == "type", let only = others.first { return .init("type", only) }
          return member.name == "enum" ? .init("enum", .list(others)) : member
        }), named: named)
  }

  func described(_ note: String?) -> JSONSchema {
    guard let note else { return self }
    return JSONSchema(
      JSON.object(keywords).with([.init("description", .text(note))]), named: named)
  }

  func with(_ more: JSON) -> JSONSchema {
    guard case .object(let members) = more else { return self }
    return JSONSchema(JSON.object(keywords).with(members), named: named)
  }

  var json: JSON { .object(keywords) }
}
