import Synchronization

@testable import Templates

/// Builds shapes for the official suite's data, whose names are known only from the data.
///
/// Allows unescaped texts, which production rejects.
struct DictionaryView {
  private final class Names: Sendable {
    let fields = Mutex<[String: Access]>([:])
  }

  /// The partials for dynamic names, and the last parts of those names.
  let partials: [String]
  let dynamicNames: Set<String>

  /// The common shape of these values; elements of an empty list have the shape of the list's
  /// owner.
  func shape(of values: [JSONValue], owner: Shape? = nil) -> Shape {
    if values.isEmpty, let owner { return owner }
    let names = Names()
    let shape = Shape(
      identity: ObjectIdentifier(names), name: "data",
      field: { name in names.fields.withLock { $0[name] } },
      fieldNames: { names.fields.withLock { Array($0.keys) } })
    let found = fields(of: values, owner: shape)
    names.fields.withLock { $0 = found }
    return shape
  }

  private func fields(of values: [JSONValue], owner: Shape) -> [String: Access] {
    var keys: Set<String> = []
    for case .object(let members) in values {
      keys.formUnion(members.keys)
    }
    var fields: [String: Access] = [:]
    if case .object? = values.first {
      // An object is no text, list or flag itself.
    } else {
      fields["."] = field(for: values, owner: owner) { $0 }.access
    }
    for key in keys {
      let isDynamic = dynamicNames.contains(key)
      fields[key] =
        isDynamic
        ? partial(key).access
        : field(for: values.map { $0[key] }, owner: owner) { $0[key] }.access
    }
    return fields
  }

  private func partial(_ key: String) -> Field<JSONValue> {
    .partial(among: partials) { $0[key].shown }
  }

  private func field(
    for values: [JSONValue], owner: Shape, _ get: @escaping @Sendable (JSONValue) -> JSONValue
  ) -> Field<JSONValue> {
    switch values.first {
    case .flag:
      return .flag { get($0).isTrue }
    case .list:
      return .list({ get($0).elements }, of: shape(of: values.flatMap(\.elements), owner: owner))
    case .object:
      return .child({ get($0) }, of: shape(of: values))
    case .integer, .decimal, .text, .null, nil:
      var field = Field<JSONValue>.text { get($0).shown }
      field.access.writeRaw = { pointer, output in
        output.append(raw: get(pointer.assumingMemoryBound(to: JSONValue.self).pointee).shown)
      }
      if let shape = field.access.shape {
        field.access.shape = rawShape(shape)
      }
      return field
    }
  }

  /// The shape of a text, which may be unescaped here.
  private func rawShape(_ shape: Shape) -> Shape {
    Shape(
      identity: shape.identity, name: shape.name,
      field: { name in
        var access = shape.field(name)
        access?.writeRaw = { pointer, output in
          output.append(raw: pointer.assumingMemoryBound(to: String.self).pointee)
        }
        return access
      },
      fieldNames: shape.fieldNames)
  }
}
