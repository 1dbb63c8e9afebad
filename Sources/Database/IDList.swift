import Core

/// Many identifiers in one statement, so that a write for 250 users needs no more statements than
/// for one.
///
/// `FROM json_each(?)` takes `places` and yields a row for each identifier. The SQL expression
/// `only`, or `first` and `second` for pairs, is the identifier of that row; each use of it takes
/// `bytes`.
public struct IDList: Sendable {
  public static let only = "substr(?, 16 * json_each.value + 1, 16)"
  public static let first = "substr(?, 32 * json_each.value + 1, 16)"
  public static let second = "substr(?, 32 * json_each.value + 17, 16)"

  /// The positions as JSON: "[0,1,2]".
  public let places: String
  /// All identifiers, concatenated.
  public let bytes: [UInt8]

  public init<Kind>(_ ids: [ID<Kind>]) {
    places = Self.places(ids.count)
    bytes = ids.flatMap(\.bytes)
  }

  public init<First, Second>(pairs: [(ID<First>, ID<Second>)]) {
    places = Self.places(pairs.count)
    bytes = pairs.flatMap { $0.0.bytes + $0.1.bytes }
  }

  private static func places(_ count: Int) -> String {
    "[\((0..<count).map(String.init).joined(separator: ","))]"
  }
}
