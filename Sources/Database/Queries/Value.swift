import Core

/// A value of a statement's parameter or a row's column.
public enum Value: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  /// Byte strings of the same width, one after another. PostgreSQL only (`bytea[]`).
  case list(of: [UInt8], width: Int)
}

/// A type that can be bound to a parameter.
public protocol Bindable {
  var value: Value { get }
}

extension Value: Bindable {
  public var value: Value { self }
}

extension Int: Bindable {
  public var value: Value { .integer(Int64(self)) }
}

extension Int64: Bindable {
  public var value: Value { .integer(self) }
}

extension Double: Bindable {
  public var value: Value { .real(self) }
}

extension Bool: Bindable {
  public var value: Value { .integer(self ? 1 : 0) }
}

extension String: Bindable {
  public var value: Value { .text(self) }
}

extension [UInt8]: Bindable {
  public var value: Value { .blob(self) }
}

extension ID: Bindable {
  public var value: Value { .blob(bytes) }
}

extension Instant: Bindable {
  public var value: Value { .integer(milliseconds) }
}

extension LocalDay: Bindable {
  public var value: Value { .integer(Int64(number)) }
}

extension Optional: Bindable where Wrapped: Bindable {
  public var value: Value { self?.value ?? .null }
}

extension Value {
  /// The value as an SQL literal.
  var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let text): "'\(text.replacing("'", with: "''"))'"
    case .blob(let bytes), .list(let bytes, _): "x'\(Hex.text(bytes))'"
    }
  }
}
