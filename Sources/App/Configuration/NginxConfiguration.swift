import Web

/// The values of nginx's configuration; fills `deploy/nginx/pairspot.conf.template`.
public struct NginxConfiguration: Sendable {
  /// The server of plain http that leads browsers to https.
  struct Redirect: Sendable {
    let port: Int
    /// The address that it leads to, without a path.
    let baseURL: String
    /// The folder of the files that an authority of certificates requests (RFC 8555, section 8.3).
    let challengeFolder: String
  }

  /// The reason why no configuration could be made.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// The template has a placeholder without a value.
    case unknownPlaceholder(String)
    /// A value contains a character that has a meaning to nginx.
    case unsafeValue(String)

    /// One line for the operator.
    public var description: String {
      switch self {
      case .unknownPlaceholder(let name): "unknown placeholder in the nginx template: \(name)"
      case .unsafeValue(let value): "not allowed in the nginx configuration: \(value)"
      }
    }
  }

  var listenAddresses: [ListenAddress]
  public var port: Int
  /// The PEM file with the chain and key of https; nil for plain http.
  public var certificate: String?
  var redirect: Redirect?
  /// The user of nginx's workers; nil for the starting user, who must not be root.
  public var user: String?
  public var workers: Int
  /// The handlers' sockets, one a process; absolute paths, like all below.
  public var sockets: [String]
  /// The folder of temporary files, `errors/<code>.html`, `assets/css/all.css` and
  /// `kept/assets/<hash>/`.
  public var runFolder: String
  public var publicFolder: String
  public var mediaFolder: String
  /// Nil if all media are in the folder.
  var bucket: Bucket?
  /// The socket on which PairSpot's processes send nginx the messages of its live streams.
  public var liveSocket: String
  /// The file of nginx's module for live streams; nil if there is none: then pages poll.
  public var nchanModule: String?
  /// The Redis server through which streams of all nodes hear the same; nil: they are this node's.
  var redis: RedisServer?
  /// The prefix of internal locations.
  public var guardPrefix: GuardPrefix
  /// Whether the base URL is https, so that HSTS is sent.
  public var isSecure = false
  /// The proxies whose `X-Forwarded-For` is trusted.
  public var trustedProxies = TrustedProxies.none

  init(
    listenAddresses: [ListenAddress], port: Int, user: String? = nil, workers: Int,
    sockets: [String], runFolder: String, publicFolder: String, mediaFolder: String,
    liveSocket: String, nchanModule: String? = nil, guardPrefix: GuardPrefix
  ) {
    self.listenAddresses = listenAddresses
    self.port = port
    self.user = user
    self.workers = workers
    self.sockets = sockets
    self.runFolder = runFolder
    self.publicFolder = publicFolder
    self.mediaFolder = mediaFolder
    self.liveSocket = liveSocket
    self.nchanModule = nchanModule
    self.guardPrefix = guardPrefix
  }

  /// The path of the module on Debian and Ubuntu (libnginx-mod-nchan).
  static let nchanPath = "/usr/lib/nginx/modules/ngx_nchan_module.so"

  /// The template with every `@NAME@` replaced. Throws `Failure`.
  public func render(template: String) throws -> String {
    let values = try values()
    var output = ""
    var rest = template[...]
    while let (before, name, after) = Self.nextPlaceholder(in: rest) {
      guard let value = values[String(name)] else {
        throw Failure.unknownPlaceholder("@\(name)@")
      }
      output += before + value
      rest = after
    }
    return output + rest
  }

  /// The arguments that start nginx in the foreground with `nginx.conf` of the run folder. Its
  /// messages go to standard error (`NginxLog`).
  static func arguments(runFolder: String, file: String = NginxFile.name) -> [String] {
    ["-p", runFolder + "/", "-c", "\(runFolder)/\(file)", "-e", "stderr"]
  }

  private func values() throws -> [String: String] {
    [
      "USER_LINE": try user.map { "user \(try word($0));" } ?? "",
      "LONGEST_ANSWER": "\(Timeouts.maximumRequestDuration)s",
      "WORKERS": "\(workers)",
      "RUN": try path(runFolder),
      "GUARD": guardPrefix.path,
      "PUBLIC": try path(publicFolder),
      "MEDIA": try path(mediaFolder),
      // Comment marks, as for NCHAN.
      "BUCKET": bucket == nil ? "#" : "",
      "NO_BUCKET": bucket == nil ? "" : "#",
      "BUCKET_URL": try bucket.map { try url($0.settings.origin) } ?? "",
      "BUCKET_PATH": bucket?.settings.base ?? "",
      "BUCKET_HOST": bucket?.settings.host ?? "",
      "BUCKET_LINES": bucketLines,
      "BUCKET_HIDDEN_LINES": bucketHiddenLines,
      "STORE_REFUSALS": Self.statuses(300...498), "STORE_FAILURES": Self.statuses(500...599),
      "UPSTREAM_SERVERS": try sockets.map { "server \"unix:\(try path($0))\" max_fails=0;" }
        .joined(separator: "\n    "),
      "LISTEN_LINES": listenLines,
      "TLS_LINES": tlsLines,
      "CERTIFICATE": try certificate.map(path) ?? "",
      "REDIRECT_LISTEN_LINES": redirectListenLines,
      "REDIRECT": redirect == nil ? "#" : "",
      "BASE_URL": try redirect.map { try url($0.baseURL) } ?? "",
      "CHALLENGES": try redirect.map { try path($0.challengeFolder) } ?? "",
      "LIVE_SOCKET": try path(liveSocket),
      "NCHAN_MODULE": try nchanModule.map(path) ?? "",
      // Comment marks: before lines that need the module, and before their replacements.
      "NCHAN": nchanModule == nil ? "#" : "",
      "NO_NCHAN": nchanModule == nil ? "" : "#",
      "REDIS": nchanModule == nil || redis == nil ? "#" : "",
      "REDIS_ADDRESS": redis?.address ?? "",
      "REDIS_PASSWORD": redis?.password ?? "",
      "REDIS_PASSWORD_MARK": redis?.password == nil ? "#" : "",
      "LONGEST_SILENCE": redis == nil ? "10m" : "2m",
      "STRICT_TRANSPORT": isSecure ? SecurityHeaders.strictTransport : "",
      "REAL_IP_LINES": realIPLines,
      "HEADERS": (Self.headers + [Self.policy]).joined(separator: "\n      "),
      "HEADERS_BUT_POLICY": Self.headers.joined(separator: "\n      "),
      // Only routes with large bodies accept them, and few at a time per network.
      "LARGE_BODIES": [
        "if ($has_no_large_body) {", "  return 418;", "}",
        "limit_conn requests 200;", "limit_conn large_uploads 8;",
      ].joined(separator: "\n      "),
      // 500: the disk has no space for a body, or all connections are in use. Both are temporary.
      "API_ERRORS":
        (StaticErrorPages.apiStatuses.map {
          "error_page \($0) \(guardPrefix.path)/errors/\($0).json;"
        }
        + ["error_page 500 =503 \(guardPrefix.path)/errors/503.json;"])
        .joined(separator: "\n      "),
    ]
  }

  private var listenLines: String {
    let options = (certificate == nil ? "" : " ssl http2") + " default_server backlog=1024"
    return listenAddresses.map { $0.listen(port: port, options) }.joined(separator: "\n    ")
  }

  private var redirectListenLines: String {
    guard let redirect else { return "" }
    return listenAddresses.map { $0.listen(port: redirect.port, " default_server backlog=1024") }
      .joined(separator: "\n    ")
  }

  /// The headers of each response; empty where the handlers have set them (`map` in the template).
  private static let headers = [
    "add_header X-Content-Type-Options $own_content_type_options always;",
    "add_header Referrer-Policy $own_referrer_policy always;",
    "add_header Strict-Transport-Security $own_strict_transport always;",
    "add_header X-Request-Id $own_request_id always;",
  ]
  private static let policy = "add_header Content-Security-Policy $own_security_policy always;"

  private var realIPLines: String {
    let networks = trustedProxies.networkTexts
    if networks.isEmpty { return "" }
    return
      (networks.map { "set_real_ip_from \($0);" }
      + ["real_ip_header X-Forwarded-For;", "real_ip_recursive on;"]).joined(separator: "\n  ")
  }

  private var tlsLines: String {
    guard certificate != nil else { return "" }
    return [
      // A variable: nginx reads the file for each connection.
      "ssl_certificate $certificate;",
      "ssl_certificate_key $certificate;",
      // Mozilla's intermediate profile.
      "ssl_protocols TLSv1.2 TLSv1.3;",
      "ssl_ciphers \(Self.ciphers.joined(separator: ":"));",
      "ssl_ecdh_curve X25519:prime256v1:secp384r1;",
      "ssl_prefer_server_ciphers off;",
      "ssl_session_cache shared:tls:4m;",
      "ssl_session_tickets off;",
    ].joined(separator: "\n    ")
  }

  private static let ciphers = [
    "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
  ]

  /// A quoted path: it may contain spaces, but nothing that ends the quotes or is expanded.
  private func path(_ text: String) throws -> String {
    let isSafe = text.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0.value != 0x7f && !"\"\\$@".unicodeScalars.contains($0)
    }
    guard isSafe, text.hasPrefix("/") else { throw Failure.unsafeValue(text) }
    return text
  }

  /// A URL without a path.
  private func url(_ text: String) throws -> String {
    let isSafe = text.wholeMatch(of: /https?:\/\/[a-z0-9.:\[\]-]+/) != nil
    guard isSafe else { throw Failure.unsafeValue(text) }
    return text
  }

  private func word(_ text: String) throws -> String {
    let isSafe = text.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isSafe, !text.isEmpty else { throw Failure.unsafeValue(text) }
    return text
  }

  /// The next `@NAME@` of capitals and underscores, with the text before and after it.
  private static func nextPlaceholder(
    in text: Substring
  ) -> (before: Substring, name: Substring, after: Substring)? {
    var start = text.startIndex
    while let at = text[start...].firstIndex(of: "@") {
      let afterAt = text.index(after: at)
      let name = text[afterAt...].prefix { $0.isASCII && $0.isUppercase || $0 == "_" }
      if !name.isEmpty, name.endIndex < text.endIndex, text[name.endIndex] == "@" {
        return (text[..<at], name, text[text.index(after: name.endIndex)...])
      }
      start = afterAt
    }
    return nil
  }
}
