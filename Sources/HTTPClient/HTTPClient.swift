import Foundation

/// Sends requests to other servers, one at a time, to addresses that an operator configured. The
/// only user-chosen ones are push endpoints, which are checked before and pinned
/// (docs/developer/web-security.md).
///
/// A request goes to its address and nowhere else: no redirects, no proxies, no cookies, nothing
/// but http and https, and https only with a valid certificate.
public struct HTTPClient: Sendable {
  let timeout: Double
  let bodyLimit: Int
  let certificates: String?
  let socket: String?
  let addresses: [String]
  let signature: AWSSignature?
  let connections: HTTPConnections?

  /// `timeout` in s applies to a whole exchange, `bodyLimit` to the bytes of a response's body;
  /// `certificates` is a PEM file of authorities to trust instead of the system's; `socket` is the
  /// path of a Unix socket to connect to, regardless of the host in the address. `addresses` are
  /// the only ones that a request connects to, instead of resolving its host; if empty, the system
  /// resolves the host. `signature` signs each request; its headers must then include
  /// `x-amz-content-sha256`. `connections` are kept open between requests.
  public init(
    timeout: Double = 30, bodyLimit: Int = 1 << 20, certificates: String? = nil,
    socket: String? = nil, addresses: [String] = [], signature: AWSSignature? = nil,
    connections: HTTPConnections? = nil
  ) {
    self.timeout = timeout
    self.bodyLimit = bodyLimit
    self.certificates = certificates
    self.socket = socket
    self.addresses = addresses
    self.signature = signature
    self.connections = connections
  }

  /// Sends one request and waits for the response, with any status. Throws `HTTPClientError`.
  public func send(_ request: HTTPCall) throws(HTTPClientError) -> HTTPAnswer {
    guard request.isWellFormed else { throw .unusable("not a request that can be sent") }
    return try HTTPTransfer(bodyLimit: bodyLimit).perform(request, self)
  }

  /// libcurl's option for the addresses: "push.example:443:192.0.2.1,[2001:db8::1]"; nil for a
  /// request whose host and port can't be parsed, which then is not sent.
  func pinning(of url: String) -> String? {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else {
      return nil
    }
    let port = parts.port ?? (parts.scheme == "http" ? 80 : 443)
    let all = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
    return "\(host):\(port):\(all)"
  }
}

/// The key of AWS Signature Version 4 and what it is for; libcurl signs by it.
public struct AWSSignature: Sendable {
  let accessKey: String
  let secretKey: String
  let region: String
  let service: String

  public init(accessKey: String, secretKey: String, region: String, service: String) {
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.region = region
    self.service = service
  }
}

/// An HTTP request.
public struct HTTPCall: Sendable {
  public let method: String
  public let url: String
  public let headers: [(name: String, value: String)]
  public let body: [UInt8]
  /// The path of a file that is sent in place of `body`; nil for none.
  public let file: String?

  public init(
    _ method: String, _ url: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = [], file: String? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.file = file
  }

  /// Whether no part could begin another line of the request, and the scheme is http or https.
  var isWellFormed: Bool {
    let scheme = url.lowercased()
    return (scheme.hasPrefix("http://") || scheme.hasPrefix("https://"))
      && url.utf8.allSatisfy { 0x21...0x7E ~= $0 }
      && !method.isEmpty && method.utf8.allSatisfy { (0x41...0x5A).contains($0) }
      && headers.allSatisfy { header in
        !header.name.isEmpty && header.name.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x3A }
          && header.value.utf8.allSatisfy { $0 == 0x09 || 0x20...0x7E ~= $0 || $0 >= 0x80 }
      }
  }
}

/// An HTTP response.
public struct HTTPAnswer: Sendable {
  public let status: Int
  public let body: [UInt8]
  /// The value of `Retry-After`, in s; nil if absent.
  public let retryAfter: Int64?
  /// The value of `Cache-Control`; nil if absent.
  public let cacheControl: String?
  /// The value of `Date`; nil if absent.
  public let date: String?
  /// The value of `Content-Length`; nil if absent.
  public let contentLength: Int?
  /// The value of `ETag`; nil if absent.
  public let entityTag: String?

  public init(
    status: Int, body: [UInt8], retryAfter: Int64? = nil, cacheControl: String? = nil,
    date: String? = nil, contentLength: Int? = nil, entityTag: String? = nil
  ) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
    self.cacheControl = cacheControl
    self.date = date
    self.contentLength = contentLength
    self.entityTag = entityTag
  }

  /// For how long the response is fresh, in s: its `max-age`, or 0 if it must not be stored or
  /// used again unasked (RFC 9111, section 5.2.2); nil if it says nothing about it.
  public var freshness: Int64? {
    guard let cacheControl else { return nil }
    let directives = cacheControl.lowercased().split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
    for directive in directives where directive.hasPrefix("max-age=") {
      let value = directive.dropFirst("max-age=".count).trimmingCharacters(in: ["\""])
      guard !value.isEmpty, value.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return 0 }
      return Int64(value) ?? .max
    }
    return nil
  }
}

/// The reason why there is no response.
public enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The request cannot be sent as it is.
  case unusable(String)
  /// The server didn't answer, or not in time, or not completely.
  case unreachable(String)
  /// The server's certificate is not valid for it.
  case untrusted(String)
  /// The response's body is longer than the limit, in bytes.
  case tooLong(limit: Int)

  public var description: String {
    switch self {
    case .unusable(let text), .unreachable(let text), .untrusted(let text): text
    case .tooLong(let limit): "the answer is longer than \(limit) bytes"
    }
  }
}
