import Core

/// A type with one form in JSON.
public protocol JSONType: Sendable {
  static var jsonSchema: JSONSchema { get }
  /// A value that the schema allows, for the API document.
  static var jsonExample: JSON { get }
}

/// A type that can be written in responses.
public protocol JSONEncodable: JSONType {
  func write(to output: inout JSONOutput)
}

/// An enumeration of strings; a feature adopts it with `extension Visibility: JSONEnum {}`.
public protocol JSONEnum: JSONEncodable, JSONDecodable, CaseIterable, RawRepresentable
where RawValue == String {}

extension JSONEnum {
  public static var jsonSchema: JSONSchema {
    .type("string", ["enum": .list(allCases.map { .text($0.rawValue) })])
  }

  public static var jsonExample: JSON { allCases.first.map { .text($0.rawValue) } ?? .null }

  public func write(to output: inout JSONOutput) { output.append(rawValue) }
}

extension Language: JSONEnum {}

extension String: JSONEncodable {
  public static var jsonSchema: JSONSchema { .type("string") }
  public static var jsonExample: JSON { "text" }
  public func write(to output: inout JSONOutput) { output.append(self) }
}

extension Int: JSONEncodable {
  public static var jsonSchema: JSONSchema { .type("integer", ["format": "int64"]) }
  public static var jsonExample: JSON { 1 }
  public func write(to output: inout JSONOutput) { output.append(Int64(self)) }
}

extension Double: JSONEncodable {
  public static var jsonSchema: JSONSchema { .type("number", ["format": "double"]) }
  public static var jsonExample: JSON { 1.5 }
  public func write(to output: inout JSONOutput) { output.append(self) }
}

extension Bool: JSONEncodable {
  public static var jsonSchema: JSONSchema { .type("boolean") }
  public static var jsonExample: JSON { true }
  public func write(to output: inout JSONOutput) { output.append(self) }
}

extension ID: JSONType {
  public static var jsonSchema: JSONSchema { .type("string", ["format": "uuid"]) }
  public static var jsonExample: JSON { "019c0a2e-7b40-7c11-9d2e-3f5a6b7c8d9e" }
}

extension ID: JSONEncodable {
  public func write(to output: inout JSONOutput) { output.append(description) }
}

extension Instant: JSONEncodable {
  public static var jsonSchema: JSONSchema { .type("string", ["format": "date-time"]) }
  public static var jsonExample: JSON { "2026-03-02T00:00:00.000Z" }
  public func write(to output: inout JSONOutput) { output.append(self) }
}

extension LocalDay: JSONEncodable {
  public static var jsonSchema: JSONSchema { .type("string", ["format": "date"]) }
  public static var jsonExample: JSON { "2026-03-02" }
  public func write(to output: inout JSONOutput) { output.append(self) }
}

extension Optional: JSONType where Wrapped: JSONType {
  public static var jsonSchema: JSONSchema { Wrapped.jsonSchema.orNull }
  public static var jsonExample: JSON { Wrapped.jsonExample }
}

extension Optional: JSONEncodable where Wrapped: JSONEncodable {
  public func write(to output: inout JSONOutput) {
    if let value = self { value.write(to: &output) } else { output.appendNull() }
  }
}

extension Array: JSONType where Element: JSONType {
  public static var jsonSchema: JSONSchema { .list(of: Element.jsonSchema) }
  public static var jsonExample: JSON { [Element.jsonExample] }
}

extension Array: JSONEncodable where Element: JSONEncodable {
  public func write(to output: inout JSONOutput) {
    output.append(byte: "[")
    for position in indices {
      if position > 0 { output.append(byte: ",") }
      self[position].write(to: &output)
    }
    output.append(byte: "]")
  }
}
