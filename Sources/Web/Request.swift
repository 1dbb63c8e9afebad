import Core
import HTTPTypes

/// One request as a handler sees it: who asked is in the `Context`.
public struct Request {
  public let method: HTTPRequest.Method
  /// The path, percent-encoding undone segment by segment by the router; never with the query.
  public let path: String
  /// The query as it came, without the question mark.
  public let query: String
  public let headers: HTTPFields
  /// The address that the connection came from, before any trusted proxy is looked through.
  public let peer: String
  /// Whether the browser's connection is https.
  public let isSecure: Bool
  /// The id that stands in the log and in error pages.
  public let id: String
  /// Bytes announced for the body; nil when nobody said.
  public let contentLength: Int?
  public let body: any BodySource
  /// Whether the web server only asks if it may take the body (`Application.admission`).
  public let asksAdmission: Bool

  public init(
    method: HTTPRequest.Method, target: String, headers: HTTPFields = [:],
    peer: String = "127.0.0.1", isSecure: Bool = false, id: String, contentLength: Int? = nil,
    body: any BodySource = EmptyBody(), asksAdmission: Bool = false
  ) {
    self.asksAdmission = asksAdmission
    self.method = method
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts.first ?? "/")
    query = parts.count > 1 ? String(parts[1]) : ""
    self.headers = headers
    self.peer = peer
    self.isSecure = isSecure
    self.id = id
    self.contentLength = contentLength
    self.body = body
  }

  /// How many header lines there may be.
  static let mostHeaders = 100

  /// What proxies say of those whom they ask for, each in its own words.
  private static let marksOfProxies = [
    "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via",
  ].compactMap { HTTPField.Name($0) }

  /// Whether a proxy stands between: one says whom it asks for.
  public var isProxied: Bool { Self.marksOfProxies.contains { headers[$0] != nil } }

  /// Whether who asks is on this machine, with no proxy between.
  public var isFromThisMachine: Bool { (peer == "::1" || peer.hasPrefix("127.")) && !isProxied }

  /// Throws 414 and 431 for a path, a query or a header that is longer than a web server hands on
  /// by itself (8 KiB in nginx): none is looked through before.
  func checkLengths() throws(Problem) {
    let most = FieldLimits.line.bytes
    guard path.utf8.count <= most, query.utf8.count <= most else { throw .uriTooLong }
    guard headers.allSatisfy({ $0.value.utf8.count <= most }) else { throw .headerTooLong }
  }

  /// The first value of a query parameter; nil when it isn't there or the query is malformed.
  public func queryValue(_ name: String) -> String? {
    guard !query.isEmpty else { return nil }
    return (try? FormDecoding.decode(Array(query.utf8)))?.first { $0.0 == name }?.1
  }

  /// The whole body of a route that reads it itself. Throws 413 when it has more bytes than
  /// `limit`.
  public func wholeBody(limit: Int) throws -> [UInt8] {
    guard let body = try body(upTo: limit) else { throw Problem.tooLarge }
    return body
  }

  /// The whole body; nil when it has more bytes than `limit`.
  func body(upTo limit: Int) throws -> [UInt8]? {
    var bytes: [UInt8] = []
    let size = 16_384
    while true {
      var count = 0
      let chunk = try [UInt8](unsafeUninitializedCapacity: size) { buffer, initialised in
        count = try body.read(into: UnsafeMutableRawBufferPointer(buffer))
        initialised = count
      }
      if count == 0 { return bytes }
      bytes += chunk
      if bytes.count > limit { return nil }
    }
  }

  /// Whether a script asked for JSON rather than a browser for a page.
  public var wantsJSON: Bool {
    path.hasPrefix("/api/") || headers[.accept]?.hasPrefix("application/json") == true
  }
}

/// Where the bytes of a body come from.
public protocol BodySource {
  /// Fills the buffer; answers how many bytes came, 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// A body without bytes.
public struct EmptyBody: BodySource {
  public init() {}

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }
}

/// A body that is in memory already.
public final class BytesBody: BodySource {
  private let bytes: [UInt8]
  private var position = 0

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = min(buffer.count, bytes.count - position)
    buffer.copyBytes(from: bytes[position..<position + count])
    position += count
    return count
  }
}
