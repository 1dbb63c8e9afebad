/// A value of JSON (RFC 8259): what a body was read as, and what schemas and examples are made of.
public enum JSON: Sendable, Equatable {
  case null
  case flag(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case list([JSON])
  case object([Member])

  /// One name of an object and what stands under it; objects keep their order.
  public struct Member: Sendable, Equatable {
    public let name: String
    public let value: JSON

    public init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// What an object has under a name; nil when it has nothing there, or is no object.
  public subscript(_ name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// An object with more members at its end.
  func with(_ more: [Member]) -> JSON {
    guard case .object(let members) = self else { return .object(more) }
    return .object(members + more)
  }

  /// The bytes of it, without spaces.
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
