import Core
import HTTPTypes

/// A request as a handler sees it; the viewer is in the `Context`.
public struct Request {
  public let method: HTTPRequest.Method
  /// The path without the query; the router decodes percent-encoding segment by segment.
  public let path: String
  /// The raw query, without the question mark.
  public let query: String
  public let headers: HTTPFields
  /// The address of the connection, before trusted proxies are considered.
  public let peer: String
  /// Whether the browser's connection is https.
  public let isSecure: Bool
  /// The id in the log and on error pages.
  public let id: String
  /// The announced length of the body, in bytes; nil if unknown.
  public let contentLength: Int?
  public let body: any BodySource
  /// Whether the web server only asks if it may accept the body (`Application.admission`).
  public let asksForAuthorization: Bool

  public init(
    method: HTTPRequest.Method, target: String, headers: HTTPFields = [:],
    peer: String = "127.0.0.1", isSecure: Bool = false, id: String, contentLength: Int? = nil,
    body: any BodySource = EmptyBody(), asksForAuthorization: Bool = false
  ) {
    self.asksForAuthorization = asksForAuthorization
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

  /// The maximum number of header lines.
  static let maximumHeaders = 100

  /// The headers by which proxies name their clients.
  private static let marksOfProxies = [
    "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via",
  ].compactMap { HTTPField.Name($0) }

  /// Whether the request came through a proxy: one of its headers is there.
  public var isProxied: Bool { Self.marksOfProxies.contains { headers[$0] != nil } }

  /// Whether the client is on this machine, without a proxy in between.
  public var isFromThisMachine: Bool { (peer == "::1" || peer.hasPrefix("127.")) && !isProxied }

  /// Throws 414 or 431 for a path, a query or a header that is longer than a web server forwards by
  /// default (8 KiB in nginx). Called before any of them is parsed.
  func checkLengths() throws(Problem) {
    let maximum = FieldLimits.line.bytes
    guard path.utf8.count <= maximum, query.utf8.count <= maximum else { throw .uriTooLong }
    guard headers.allSatisfy({ $0.value.utf8.count <= maximum }) else { throw .headerTooLong }
  }

  /// The first value of a query parameter; nil if it is absent or the query is malformed.
  public func queryValue(_ name: String) -> String? {
    guard !query.isEmpty else { return nil }
    return (try? FormDecoding.decode(Array(query.utf8)))?.first { $0.0 == name }?.1
  }

  /// The whole body, for a route that reads it itself. Throws 413 if it has more than `limit`
  /// bytes.
  public func wholeBody(limit: Int) throws -> [UInt8] {
    guard let body = try body(upTo: limit) else { throw Problem.tooLarge }
    return body
  }

  /// The whole body; nil if it has more than `limit` bytes.
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

  /// Whether the client is a script that wants JSON rather than a browser that wants a page.
  public var wantsJSON: Bool {
    path.hasPrefix("/api/") || headers[.accept]?.hasPrefix("application/json") == true
  }
}

/// The source of a body's bytes.
public protocol BodySource {
  /// Fills the buffer; returns the number of bytes, 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// An empty body.
public struct EmptyBody: BodySource {
  public init() {}

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 0 }
}

/// A body that is in memory.
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
