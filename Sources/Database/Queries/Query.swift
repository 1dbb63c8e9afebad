/// An SQL statement with its values.
///
/// Interpolated values stand where they are used; they are bound as parameters and never become
/// part of the SQL text. An interpolated `Query` is a fragment that brings its own values:
///
///     "SELECT \(Post.columns) FROM posts p WHERE p.couple_id = \(couple) LIMIT \(limit)"
public struct Query: Sendable, ExpressibleByStringInterpolation {
  /// The text, with a question mark for each value. A literal question mark in the text is not
  /// supported: bind it as a value.
  public let sql: String
  /// The values in order.
  public let values: [Value]

  /// `text` must not come from outside.
  public init(stringLiteral text: String) {
    sql = text
    values = []
  }

  public init(stringInterpolation parts: StringInterpolation) {
    sql = parts.sql
    values = parts.values
  }

  init(sql: String, values: [Value]) {
    self.sql = sql
    self.values = values
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sql = ""
    fileprivate var values: [Value] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      sql.reserveCapacity(literalCapacity + interpolationCount)
      values.reserveCapacity(interpolationCount)
    }

    public mutating func appendLiteral(_ text: String) {
      sql += text
    }

    /// Adds a value.
    public mutating func appendInterpolation(_ value: some Bindable) {
      values.append(value.value)
      sql += "?"
    }

    /// Adds a value, or NULL. (With the function above alone the compiler warns about optionals.)
    public mutating func appendInterpolation(_ value: (some Bindable)?) {
      values.append(value?.value ?? .null)
      sql += "?"
    }

    /// Adds a fragment and its values.
    public mutating func appendInterpolation(_ fragment: Query) {
      sql += fragment.sql
      values += fragment.values
    }

    /// Adds identifiers as a subquery: for `IN`, or as a table with the column `id` (`first` and
    /// `second` for pairs).
    public mutating func appendInterpolation(_ list: IDList) {
      appendInterpolation(list.subquery)
    }

    /// Adds a fixed list of values, separated by commas. For lists of other lengths each time use
    /// `IDList`: each text is prepared once.
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
