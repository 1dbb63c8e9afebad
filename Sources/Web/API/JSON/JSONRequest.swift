import Core

/// The object of a body, or the parameters of a query. One table of its fields parses, type-checks
/// and describes it.
///
/// ```swift
/// struct AccountChange: JSONRequest {
///   var displayName: String?
///   static let jsonFields: [InputField<Self>] = [
///     .optional("display_name", example: "Mei") { $0.displayName = $1 }
///   ]
/// }
/// ```
///
/// The feature's rules check the values and throw `Problem.invalid`. Unknown fields are ignored.
public protocol JSONRequest: JSONDecodable {
  /// An input without values; required fields are set before the input is used.
  init()
  /// The name in the API document; by default that of the type.
  static var jsonName: String { get }
  /// The fields, in the order of the document. Make it a `static let`.
  static var jsonFields: [InputField<Self>] { get }
}

extension JSONRequest {
  public static var jsonName: String { String(describing: Self.self) }

  public static var jsonSchema: JSONSchema {
    .reference(jsonName) {
      .object(
        jsonFields.map { ($0.name, $0.shape.schema()) },
        required: jsonFields.filter(\.isRequired).map(\.name))
    }
  }

  public static var jsonExample: JSON {
    .object(jsonFields.map { JSON.Member($0.name, $0.shape.example()) })
  }

  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> Self? {
    guard case .object = json else {
      errors[path()] = FieldError("api.field_object")
      return nil
    }
    let (input, found) = readInParts(json, at: path())
    guard found.isEmpty else {
      errors.merge(found) { first, _ in first }
      return nil
    }
    return input
  }

  /// Reads the valid fields of an object and reports errors of the others by path: for a list in
  /// which one invalid member must not affect the others.
  public static func readInParts(
    _ json: JSON, at parent: String
  ) -> (input: Self, errors: [String: FieldError]) {
    var input = Self()
    var found: [String: FieldError] = [:]
    for field in jsonFields {
      let place = parent.isEmpty ? field.name : "\(parent).\(field.name)"
      field.read(json[field.name], place, &input, &found)
    }
    return (input, found)
  }

  /// Reads the body of a request. Throws 400 if it is not JSON, 422 if it is not an object or has
  /// invalid fields.
  static func read(body: [UInt8]) throws -> Self {
    let json: JSON
    do throws(JSONError) {
      json = try JSONParser.parse(body)
    } catch {
      throw Problem(.invalidJSON)
    }
    var errors: [String: FieldError] = [:]
    guard case .object = json else { throw Problem.invalid([:]) }
    guard let input = read(json, at: "", &errors) else { throw Problem.invalid(errors) }
    return input
  }

  /// Reads the query of a request. Throws 422.
  public static func read(query: String) throws -> Self {
    guard let sent = try? FormDecoding.decode(Array(query.utf8)) else {
      throw Problem.invalid([:])
    }
    let members = jsonFields.compactMap { field in
      sent.first { $0.0 == field.name }.map { JSON.Member(field.name, field.fromText($0.1)) }
    }
    var errors: [String: FieldError] = [:]
    guard let input = read(.object(members), at: "", &errors) else {
      throw Problem.invalid(errors)
    }
    return input
  }
}

/// A field of an input, bound to a property of the type `V`.
public struct InputField<V>: Sendable {
  public let name: String
  let isRequired: Bool
  let shape: FieldShape
  let fromText: @Sendable (String) -> JSON
  /// Takes the sent value, nil if the field was absent.
  let read: @Sendable (JSON?, String, inout V, inout [String: FieldError]) -> Void

  private init<T: JSONDecodable, VerifiedCredentials: JSONType>(
    _ name: String, _: T.Type, shownAs: VerifiedCredentials.Type, isRequired: Bool = false,
    note: String?,
    example: JSON?, bounds: JSON = [:], limits: FieldLimits? = nil,
    read: @escaping @Sendable (JSON?, String, inout V, inout [String: FieldError]) -> Void
  ) {
    self.name = name
    self.isRequired = isRequired
    var more = bounds
    if case .object(let members) = limits?.json ?? T.inputBounds { more = more.with(members) }
    shape = FieldShape(VerifiedCredentials.self, note: note, example: example, more: more)
    fromText = { T.json(fromText: $0) }
    self.read = read
  }

  /// A required field. `bounds` are further keywords of its schema, for rules that check the value
  /// later.
  public static func required<T: JSONDecodable>(
    _ name: String, note: String? = nil, bounds: JSON = [:], example: JSON? = nil,
    _ set: @escaping @Sendable (inout V, T) -> Void
  ) -> InputField {
    InputField(
      name, T.self, shownAs: T.self, isRequired: true, note: note, example: example,
      bounds: bounds
    ) { json, path, input, errors in
      guard let json else {
        errors[path] = FieldError("api.field_missing")
        return
      }
      if let value = T.read(json, at: path, &errors) { set(&input, value) }
    }
  }

  /// A required text with other limits than a line's.
  public static func required(
    _ name: String, limits: FieldLimits, note: String? = nil, bounds: JSON = [:],
    example: JSON? = nil, _ set: @escaping @Sendable (inout V, String) -> Void
  ) -> InputField {
    InputField(
      name, String.self, shownAs: String.self, isRequired: true, note: note, example: example,
      bounds: bounds, limits: limits
    ) { json, path, input, errors in
      guard let json else {
        errors[path] = FieldError("api.field_missing")
        return
      }
      if let value = String.read(json, limits: limits, at: path, &errors) { set(&input, value) }
    }
  }

  /// An optional (absent or null) text with other limits than a line's.
  public static func optional(
    _ name: String, limits: FieldLimits, note: String? = nil, bounds: JSON = [:],
    example: JSON? = nil, _ set: @escaping @Sendable (inout V, String) -> Void
  ) -> InputField {
    InputField(
      name, String.self, shownAs: String?.self, note: note, example: example, bounds: bounds,
      limits: limits
    ) { json, path, input, errors in
      guard let json, json != .null else { return }
      if let value = String.read(json, limits: limits, at: path, &errors) { set(&input, value) }
    }
  }

  /// A field that may be absent or null, which mean the same; `bounds` as with `required`.
  public static func optional<T: JSONDecodable>(
    _ name: String, note: String? = nil, bounds: JSON = [:], example: JSON? = nil,
    _ set: @escaping @Sendable (inout V, T) -> Void
  ) -> InputField {
    InputField(
      name, T.self, shownAs: T?.self, note: note, example: example, bounds: bounds
    ) { json, path, input, errors in
      guard let json, json != .null else { return }
      if let value = T.read(json, at: path, &errors) { set(&input, value) }
    }
  }

  /// An optional field for which `null` (clear it) differs from absent (keep it).
  public static func clearable<T: JSONDecodable>(
    _ name: String, note: String? = nil, bounds: JSON = [:], example: JSON? = nil,
    _ set: @escaping @Sendable (inout V, OptionalField<T>) -> Void
  ) -> InputField {
    InputField(
      name, T.self, shownAs: T?.self, note: note, example: example, bounds: bounds
    ) { json, path, input, errors in
      guard let json else { return }
      if let value = OptionalField<T>.read(json, at: path, &errors) { set(&input, value) }
    }
  }

  /// An optional integer in a range.
  public static func optional(
    _ name: String, in range: ClosedRange<Int>, note: String? = nil, example: JSON? = nil,
    _ set: @escaping @Sendable (inout V, Int) -> Void
  ) -> InputField {
    let (minimum, maximum) = (Int64(range.lowerBound), Int64(range.upperBound))
    return InputField(
      name, Int.self, shownAs: Int?.self, note: note, example: example ?? .integer(minimum),
      bounds: ["minimum": .integer(minimum), "maximum": .integer(maximum)]
    ) { json, path, input, errors in
      guard let json, json != .null, let value = Int.read(json, at: path, &errors) else { return }
      guard range.contains(value) else {
        errors[path] = FieldError("api.field_range", ["least": "\(minimum)", "most": "\(maximum)"])
        return
      }
      set(&input, value)
    }
  }
}
