import Core

/// Many identifiers for one statement, so that writing to 250 people takes no more of them than
/// writing to one.
///
/// `FROM json_each(?)` takes `places` and has a row for each; the SQL of a column (`only`, or `first`
/// and `second` of pairs) is the identifier at that row, and takes `bytes` wherever it stands.
public struct IDList: Sendable {
  public static let only = "substr(?, 16 * json_each.value + 1, 16)"
  public static let first = "substr(?, 32 * json_each.value + 1, 16)"
  public static let second = "substr(?, 32 * json_each.value + 17, 16)"

  /// "[0,1,2]".
  public let places: String
  /// All of them, one after the other.
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
