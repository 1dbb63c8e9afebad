import Core

/// Many identifiers as one value of a statement, so that a write for 250 users needs no more
/// statements than for one.
///
/// Interpolated into a `Query` it is a subquery with the column `id`, or `first` and `second` for
/// pairs: `WHERE p.id IN \(IDList(ids))`, `FROM \(IDList(ids)) i CROSS JOIN users u ON u.id =
/// i.id`.
public struct IDList: Sendable {
  let subquery: Query

  public init<Kind>(_ ids: some Collection<ID<Kind>>) {
    let bytes = ids.flatMap(\.bytes)
    subquery = Query(
      sqlite: """
        (SELECT substr(\(bytes), 16 * value + 1, 16) AS id FROM json_each(\(Self.places(ids.count))))
        """,
      postgresql: "(SELECT id FROM unnest(\(Value.list(of: bytes, width: 16))) AS id)")
  }

  public init<First, Second>(pairs: [(ID<First>, ID<Second>)]) {
    let bytes = pairs.flatMap { $0.0.bytes + $0.1.bytes }
    subquery = Query(
      sqlite: """
        (SELECT substr(\(bytes), 32 * value + 1, 16) AS first,
          substr(\(bytes), 32 * value + 17, 16) AS second
          FROM json_each(\(Self.places(pairs.count))))
        """,
      postgresql: """
        (SELECT substr(pair, 1, 16) AS first, substr(pair, 17) AS second
          FROM unnest(\(Value.list(of: bytes, width: 32))) AS pair)
        """)
  }

  /// The positions as JSON: "[0,1,2]".
  private static func places(_ count: Int) -> String {
    "[\((0..<count).map(String.init).joined(separator: ","))]"
  }
}
