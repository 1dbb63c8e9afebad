import Core
import Database
import Secrets

/// The parameters of a list call: page size and cursor. A list with more parameters declares
/// `limit` and `cursor` itself and adds `listFields` to its own.
public protocol ListRequest: JSONRequest {
  /// The maximum number of rows; its initial value is the default.
  var limit: Int { get set }
  /// The `next_cursor` of the previous response.
  var cursor: String? { get set }
}

extension ListRequest {
  /// The fields `limit` (from 1 to `maximum`) and `cursor`.
  public static func listFields(maximum: Int = 100) -> [InputField<Self>] {
    [
      .optional(
        "limit", in: 1...maximum, note: "Maximum number of entries; \(Self().limit) if omitted.",
        example: .integer(Int64(Self().limit))
      ) { $0.limit = $1 },
      .optional("cursor", note: "The `next_cursor` of the previous response.") { $0.cursor = $1 },
    ]
  }
}

/// The parameters of a list call that has no others.
public struct ListQuery: ListRequest {
  public var limit = 20
  public var cursor: String?

  public init() {}

  public static let jsonFields = listFields()
}

extension Context {
  /// The cursor for the rows after a position of the list with this name ("posts"). It is
  /// authenticated, and valid in no other list.
  public func cursor<Kind>(after place: PageCursor<Kind>, in list: String) -> String {
    let bytes =
      withUnsafeBytes(of: place.key.bigEndian, Array.init) + place.id.bytes
    return Base64URL.text(bytes + cursorMark(of: bytes, in: list))
  }

  /// The position of a cursor; nil for the beginning. Throws 422 for an invalid cursor.
  public func place<Kind>(
    of cursor: String?, in list: String, _: Kind.Type = Kind.self
  ) throws -> PageCursor<Kind>? {
    guard let cursor else { return nil }
    guard let bytes = Base64URL.bytes(cursor), bytes.count == 32,
      ConstantTime.equal(Array(bytes[24...]), cursorMark(of: Array(bytes[..<24]), in: list)),
      let id = ID<Kind>(bytes: Array(bytes[8..<24]))
    else { throw Problem.invalid(["cursor": FieldError("api.field_cursor")]) }
    let key = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return PageCursor(key: Int64(bitPattern: key), id: id)
  }

  /// The cursor of the next page; nil on the last one.
  public func nextCursor<Row, Kind>(_ page: ListPage<Row, Kind>, in list: String) -> String? {
    page.next.map { cursor(after: $0, in: list) }
  }

  private func cursorMark(of bytes: [UInt8], in list: String) -> [UInt8] {
    let key = site.keys.derivedKey(purpose: "cursors")
    return Array(Digests.hmac(Array(list.utf8) + [0] + bytes, key: key).prefix(8))
  }
}
