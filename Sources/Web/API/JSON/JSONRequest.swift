import Core

/// The object of a body, or the parameters of a query, checked as far as types go: one table of
/// its fields reads it and describes it.
///
/// ```swift
/// struct AccountChange: JSONInput {
///   var displayName: String?
///   static let jsonFields: [InputField<Self>] = [
///     .optional("display_name", example: "Mei") { $0.displayName = $1 }
///   ]
/// }
/// ```
///
/// What the values may be is the rules' to say; they throw `Problem.invalid`. Unknown fields are
/// ignored.
public protocol JSONRequest: JSONDecodable {
  /// With nothing in it; required fields are set before anybody sees it.
  init()
  /// The name in the document; that of the type unless told otherwise.
  static var jsonName: String { get }
  /// In the order of the document. Make it a `static let`.
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

  /// Reads of an object what can be read, and says by path what is wrong with the rest: for a list
  /// in which one broken member must not spoil the others.
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

  /// From the body of a request. Throws 400 for what is no JSON, 422 for what is no object or has
  /// wrong fields.
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

  /// From the query of a request. Throws 422.
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

/// One name of an input, bound to a property of the type `V`.
public struct InputField<V>: Sendable {
  public let name: String
  let isRequired: Bool
  let shape: FieldShape
  let fromText: @Sendable (String) -> JSON
  /// Takes what was sent, nil when nothing was.
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

  /// A field that must be there. `bounds` are further keywords of its schema, for what the rules
  /// refuse that judge the value later.
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

  /// A text that must be there, of other limits than a line.
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

  /// A text that may be left out or null, of other limits than a line.
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

  /// A field that may be left out or null, which is the same; `bounds` as with `required`.
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

  /// A field that may be left out, and of which null says something else than nothing.
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

  /// A whole number between two others, left out or not.
  public static func optional(
    _ name: String, in range: ClosedRange<Int>, note: String? = nil, example: JSON? = nil,
    _ set: @escaping @Sendable (inout V, Int) -> Void
  ) -> InputField {
    let (least, most) = (Int64(range.lowerBound), Int64(range.upperBound))
    return InputField(
      name, Int.self, shownAs: Int?.self, note: note, example: example ?? .integer(least),
      bounds: ["minimum": .integer(least), "maximum": .integer(most)]
    ) { json, path, input, errors in
      guard let json, json != .null, let value = Int.read(json, at: path, &errors) else { return }
      guard range.contains(value) else {
        errors[path] = FieldError("api.field_range", ["least": "\(least)", "most": "\(most)"])
        return
      }
      set(&input, value)
    }
  }
}
