/// An object of a response. One table of its fields both writes and describes it, so that the two
/// can't differ.
///
/// ```swift
/// extension PostResponse: JSONResponse {
///   static let jsonFields: [JSONField<Self>] = [
///     JSONField("id") { $0.id },
///     JSONField("content", example: "Our first walk") { $0.content },
///     JSONField("promoted_until", note: "Null when it isn't promoted.") { $0.promotedUntil },
///   ]
/// }
/// ```
///
/// Every field is always present; a missing value is null.
public protocol JSONResponse: JSONEncodable, APIResponse {
  /// The name in the API document; by default that of the type.
  static var jsonName: String { get }
  /// The fields, in the order in which they are written. Make it a `static let`.
  static var jsonFields: [JSONField<Self>] { get }
}

extension JSONResponse {
  public static var jsonName: String { String(describing: Self.self) }

  public static var jsonSchema: JSONSchema {
    .reference(jsonName) {
      .object(
        jsonFields.map { ($0.name, $0.shape.schema()) }, required: jsonFields.map(\.name))
    }
  }

  public static var jsonExample: JSON {
    .object(jsonFields.map { JSON.Member($0.name, $0.shape.example()) })
  }

  public func write(to output: inout JSONOutput) {
    var isFirst = true
    output.append(byte: "{")
    for field in Self.jsonFields {
      if !isFirst { output.append(byte: ",") }
      isFirst = false
      output.append(raw: field.key)
      field.write(self, &output)
    }
    output.append(byte: "}")
  }
}

/// A field of a record, bound to a property of the type `V`.
///
/// The initializer is inlinable so that the closure is compiled where `V` is known.
public struct JSONField<V>: Sendable {
  public let name: String
  /// The name in quotes with its colon, made once.
  let key: [UInt8]
  let shape: FieldShape
  let write: @Sendable (V, inout JSONOutput) -> Void

  /// Creates a field. `note` explains it in the API document; `example` replaces the type's own.
  @inlinable
  public init<T: JSONEncodable>(
    _ name: String, note: String? = nil, example: JSON? = nil,
    _ get: @escaping @Sendable (V) -> T
  ) {
    self.init(name: name, shape: FieldShape(T.self, note: note, example: example)) {
      get($0).write(to: &$1)
    }
  }

  @usableFromInline
  init(
    name: String, shape: FieldShape, write: @escaping @Sendable (V, inout JSONOutput) -> Void
  ) {
    self.name = name
    key = JSON.text(name).bytes + [UInt8(ascii: ":")]
    self.shape = shape
    self.write = write
  }

  /// The same field of a record that contains this record.
  public func of<Outer>(_ get: @escaping @Sendable (Outer) -> V) -> JSONField<Outer> {
    let write = write
    return JSONField<Outer>(name: name, shape: shape) { write(get($0), &$1) }
  }
}

/// The description of a field in the API document.
@usableFromInline
struct FieldShape: Sendable {
  let schema: @Sendable () -> JSONSchema
  let example: @Sendable () -> JSON

  /// `more` are further keywords of the schema.
  @usableFromInline
  init<T: JSONType>(_: T.Type, note: String?, example: JSON?, more: JSON = [:]) {
    schema = { T.jsonSchema.with(more).described(note) }
    self.example = { example ?? T.jsonExample }
  }
}
