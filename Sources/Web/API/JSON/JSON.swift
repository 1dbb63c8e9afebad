/// A JSON value (RFC 8259): the parsed form of bodies, and the form of schemas and examples.
public enum JSON: Sendable, Equatable {
  case null
  case flag(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case list([JSON])
  /// A list of many numbers and nulls (`JSONNumbers`).
  case numbers([Double?])
  case object([Member])

  /// A name of an object and its value; objects keep their order.
  public struct Member: Sendable, Equatable {
    public let name: String
    public let value: JSON

    public init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The value of a name; nil if there is none or this is not an object.
  public subscript(_ name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The elements of a list; nil if this is none.
  public var elements: [JSON]? {
    switch self {
    case .list(let values): values
    case .numbers(let numbers): numbers.map { $0.map(JSON.real) ?? .null }
    default: nil
    }
  }

  /// The object with more members at its end.
  func with(_ more: [Member]) -> JSON {
    guard case .object(let members) = self else { return .object(more) }
    return .object(members + more)
  }

  /// The value as UTF-8, without spaces.
  public var bytes: [UInt8] {
    var output = JSONOutput()
    output.append(self)
    return output.bytes
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .real(value) }
  public init(booleanLiteral value: Bool) { self = .flag(value) }
  public init(arrayLiteral elements: JSON...) { self = .list(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  public init(nilLiteral: ()) { self = .null }
}
