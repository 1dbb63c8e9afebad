/// An SQL statement with its values, for both engines.
///
/// Interpolated values stand where they are used; they are bound as parameters and never become
/// part of the SQL text. An interpolated `Query` is a fragment that brings its own values:
///
///     "SELECT \(Post.columns) FROM posts p WHERE p.couple_id = \(couple) LIMIT \(limit)"
public struct Query: Sendable, ExpressibleByStringInterpolation {
  /// The text for SQLite, with a question mark for each value. A literal question mark in the text
  /// is not supported: bind it as a value.
  public let sql: String
  /// The values in order.
  public let values: [Value]
  /// The parts that PostgreSQL writes differently, in order.
  let differences: [Difference]

  /// A part of the text, and of the values, with its replacement.
  struct Difference: Sendable {
    /// Where the part begins in the text, in UTF-8, and its length.
    var start: Int
    let length: Int
    /// The index of its first value, and the number of its values.
    var firstValue: Int
    let valueCount: Int
    let sql: String
    let values: [Value]
  }

  /// `text` must not come from outside.
  public init(stringLiteral text: String) {
    self.init(sql: text, values: [])
  }

  public init(stringInterpolation parts: StringInterpolation) {
    sql = parts.sql
    values = parts.values
    differences = parts.differences
  }

  /// A statement or fragment that the engines write differently.
  public init(sqlite: Query, postgresql: Query) {
    sql = sqlite.sql
    values = sqlite.values
    let other = postgresql.forPostgreSQL
    differences = [
      Difference(
        start: 0, length: sqlite.sql.utf8.count, firstValue: 0, valueCount: sqlite.values.count,
        sql: other.sql, values: other.values)
    ]
  }

  init(sql: String, values: [Value]) {
    self.sql = sql
    self.values = values
    differences = []
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    @usableFromInline var sql = ""
    @usableFromInline var values: [Value] = []
    fileprivate var differences: [Difference] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      sql.reserveCapacity(literalCapacity + interpolationCount)
      values.reserveCapacity(interpolationCount)
    }

    public mutating func appendLiteral(_ text: String) {
      sql += text
    }

    /// Adds a value.
    @inlinable
    public mutating func appendInterpolation(_ value: some Bindable) {
      values.append(value.value)
      sql += "?"
    }

    /// Adds a value, or NULL. (With the function above alone the compiler warns about optionals.)
    @inlinable
    public mutating func appendInterpolation(_ value: (some Bindable)?) {
      values.append(value?.value ?? .null)
      sql += "?"
    }

    /// Adds a fragment and its values.
    public mutating func appendInterpolation(_ fragment: Query) {
      for var difference in fragment.differences {
        difference.start += sql.utf8.count
        difference.firstValue += values.count
        differences.append(difference)
      }
      sql += fragment.sql
      if !fragment.values.isEmpty { values += fragment.values }
    }

    /// Adds identifiers as a subquery: for `IN`, or as a table with the column `id` (`first` and
    /// `second` for pairs).
    public mutating func appendInterpolation(_ list: IDList) {
      appendInterpolation(list.subquery)
    }

    /// Adds values as a subquery: for `IN`, or as a table with the column `value`.
    public mutating func appendInterpolation(_ list: ValueList) {
      appendInterpolation(list.subquery)
    }

    /// Adds a fixed list of values, separated by commas. For lists of other lengths each time use
    /// `IDList` or `ValueList`: each text is prepared once.
    public mutating func appendInterpolation(values list: [some Bindable]) {
      values += list.map(\.value)
      sql += list.map { _ in "?" }.joined(separator: ", ")
    }

    /// Adds the name of a table, column or index, which must not come from outside.
    public mutating func appendInterpolation(name: String) {
      precondition(name.utf8.allSatisfy(Self.isPartOfName), "no plain name: \(name)")
      sql += name
    }

    /// Adds such names, separated by commas.
    public mutating func appendInterpolation(names: [String]) {
      for (position, name) in names.enumerated() {
        if position > 0 { sql += ", " }
        appendInterpolation(name: name)
      }
    }

    /// Adds the index that SQLite must use; without it the statement fails there. PostgreSQL
    /// chooses by itself.
    public mutating func appendInterpolation(index name: String) {
      appendInterpolation(Query(sqlite: "INDEXED BY \(name: name)", postgresql: ""))
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
  }
}

extension Query {
  /// The text for PostgreSQL, with a question mark for each value, and the values.
  var forPostgreSQL: (sql: String, values: [Value]) {
    if differences.isEmpty { return (sql, values) }
    let bytes = Array(sql.utf8)
    var text = ""
    var all: [Value] = []
    var (end, used) = (0, 0)
    for difference in differences {
      text += String(decoding: bytes[end..<difference.start], as: UTF8.self) + difference.sql
      all += values[used..<difference.firstValue] + difference.values
      end = difference.start + difference.length
      used = difference.firstValue + difference.valueCount
    }
    return (text + String(decoding: bytes[end...], as: UTF8.self), all + values[used...])
  }
}

extension Query: CustomStringConvertible {
  /// The statement with its values as literals, for `EXPLAIN QUERY PLAN` in a shell.
  public var description: String {
    var rest = values[...]
    return sql.reduce(into: "") { text, character in
      if character == "?", let value = rest.popFirst() {
        text += value.literal
      } else {
        text.append(character)
      }
    }
  }
}
