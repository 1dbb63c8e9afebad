import Core
import Foundation

/// A type that can be read from bodies and queries.
public protocol JSONDecodable: JSONType {
  /// The value; or nil, with the error added under its path ("sessions.3.started_at").
  static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> Self?
  /// The JSON value of a text in a query.
  static func json(fromText text: String) -> JSON
  /// Further keywords of an input field's schema, besides the type.
  static var inputBounds: JSON { get }
  /// Reads a long list of numbers and nulls at once: reading one by one through protocols takes ten
  /// times as long. Nil if one element is invalid, and for types without such a reader.
  static func readAll(_ numbers: [Double?]) -> [Self]?
  /// The same for lists in which some elements may be null.
  static func readAllOrNull(_ numbers: [Double?]) -> [Self?]?
}

extension JSONDecodable {
  public static func json(fromText text: String) -> JSON { .text(text) }
  public static var inputBounds: JSON { [:] }
  public static func readAll(_ numbers: [Double?]) -> [Self]? { nil }
  public static func readAllOrNull(_ numbers: [Double?]) -> [Self?]? { nil }
}

extension JSONEnum {
  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> Self? {
    if case .text(let text) = json, let choice = Self(rawValue: text) { return choice }
    let choices = allCases.map(\.rawValue).joined(separator: ", ")
    errors[path()] = FieldError("api.field_choice", ["choices": choices])
    return nil
  }
}

extension String: JSONDecodable {
  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> String? {
    read(json, limits: .line, at: path(), &errors)
  }

  /// The text if it is within the limits of bytes and code points.
  static func read(
    _ json: JSON, limits: FieldLimits, at path: @autoclosure () -> String,
    _ errors: inout [String: FieldError]
  ) -> String? {
    guard case .text(let text) = json else {
      errors[path()] = FieldError("api.field_text")
      return nil
    }
    guard limits.bound(text) else {
      errors[path()] = FieldError("api.field_long", ["most": String(limits.scalars)])
      return nil
    }
    // Many programs end a text at a null character.
    if !text.utf8.contains(0) { return text }
    errors[path()] = FieldError("api.field_text")
    return nil
  }

  public static var inputBounds: JSON { FieldLimits.line.json }
}

extension Int: JSONDecodable {
  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> Int? {
    switch json {
    case .integer(let number): return Int(number)
    case .real(let number):
      // 3.0 is an integer too (JSON Schema, section 6.1.1).
      if let whole = Int(exactly: number) { return whole }
    default: break
    }
    errors[path()] = FieldError("api.field_integer")
    return nil
  }

  public static func json(fromText text: String) -> JSON {
    Int64(text).map(JSON.integer) ?? .text(text)
  }
}

extension Double: JSONDecodable {
  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> Double? {
    switch json {
    case .integer(let number): return Double(number)
    case .real(let number): return number
    default:
      errors[path()] = FieldError("api.field_number")
      return nil
    }
  }

  public static func json(fromText text: String) -> JSON {
    (try? JSONParser.parse(Array(text.utf8))) ?? .text(text)
  }

  public static func readAll(_ numbers: [Double?]) -> [Double]? {
    let values = numbers.compactMap(\.self)
    return values.count == numbers.count ? values : nil
  }

  public static func readAllOrNull(_ numbers: [Double?]) -> [Double?]? { numbers }
}

extension Bool: JSONDecodable {
  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> Bool? {
    if case .flag(let flag) = json { return flag }
    errors[path()] = FieldError("api.field_flag")
    return nil
  }

  public static func json(fromText text: String) -> JSON {
    text == "true" ? true : text == "false" ? false : .text(text)
  }
}

extension ID: JSONDecodable {
  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> ID? {
    if case .text(let text) = json, let id = ID(text) { return id }
    errors[path()] = FieldError("api.field_id")
    return nil
  }
}

extension Instant: JSONDecodable {
  /// The range of a calendar with four-digit years.
  private static let sensible =
    Instant(milliseconds: -62_167_219_200_000)...Instant(milliseconds: 253_402_300_799_999)

  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> Instant? {
    if case .text(let text) = json, text.utf8.count <= 40, let instant = Instant(rfc3339: text),
      sensible.contains(instant)
    {
      return instant
    }
    errors[path()] = FieldError("api.field_instant")
    return nil
  }
}

extension LocalDay: JSONDecodable {
  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> LocalDay? {
    if case .text(let text) = json, let day = LocalDay(text) { return day }
    errors[path()] = FieldError("api.field_day")
    return nil
  }
}

extension Optional: JSONDecodable where Wrapped: JSONDecodable {
  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> Wrapped?? {
    if json == .null { return .some(nil) }
    return Wrapped.read(json, at: path(), &errors).map { .some($0) }
  }

  public static func json(fromText text: String) -> JSON { Wrapped.json(fromText: text) }
  public static var inputBounds: JSON { Wrapped.inputBounds }

  public static func readAll(_ numbers: [Double?]) -> [Wrapped?]? {
    Wrapped.readAllOrNull(numbers)
  }
}

extension Array: JSONDecodable where Element: JSONDecodable {
  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> [Element]? {
    if case .numbers(let numbers) = json, let all = Element.readAll(numbers) { return all }
    guard let values = json.elements else {
      errors[path()] = FieldError("api.field_list")
      return nil
    }
    var elements: [Element] = []
    elements.reserveCapacity(values.count)
    for (position, value) in values.enumerated() {
      guard let element = Element.read(value, at: "\(path()).\(position)", &errors) else {
        // Ten errors are enough.
        if errors.count >= 10 { return nil }
        continue
      }
      elements.append(element)
    }
    return elements.count == values.count ? elements : nil
  }
}

/// An optional field for which `null` (clear it) differs from absent (keep it), as in
/// `"paused_until": null`.
public enum OptionalField<Value: JSONDecodable>: JSONDecodable {
  case absent
  case null
  case value(Value)

  public static var inputBounds: JSON { Value.inputBounds }
  public static var jsonSchema: JSONSchema { Value.jsonSchema.orNull }
  public static var jsonExample: JSON { Value.jsonExample }

  public static func read(
    _ json: JSON, at path: @autoclosure () -> String, _ errors: inout [String: FieldError]
  ) -> OptionalField? {
    if json == .null { return .null }
    return Value.read(json, at: path(), &errors).map(OptionalField.value)
  }
}

extension FieldLimits {
  /// The schema's keyword, which counts code points.
  var json: JSON { ["maxLength": .integer(Int64(scalars))] }
}
