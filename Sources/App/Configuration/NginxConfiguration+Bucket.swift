import S3

/// The bucket in nginx's configuration.
extension NginxConfiguration {
  /// The bucket from which nginx fetches media for browsers.
  struct Bucket: Sendable {
    let settings: S3Settings
    /// The name servers that find its host again when its addresses change.
    let nameServers: [ListenAddress]
  }

  /// Lines that depend on the scheme and the name of the bucket's host.
  var bucketLines: String {
    guard let bucket else { return "" }
    let name = bucket.settings.hostName
    // nginx asks name servers for names only.
    let isName = ListenAddress(text: name.filter { !"[]".contains($0) }) == nil
    let servers = bucket.nameServers.map { $0.isIPv6 ? "[\($0.text)]" : $0.text }
    let resolver = "resolver \(servers.joined(separator: " "));"
    let secure = [
      "proxy_ssl_server_name on;", "proxy_ssl_name \"\(name)\";", "proxy_ssl_verify on;",
      "proxy_ssl_verify_depth 5;",
      "proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;",
      "proxy_ssl_protocols TLSv1.2 TLSv1.3;",
    ]
    return ((isName ? [resolver] : []) + (bucket.settings.scheme == "https" ? secure : []))
      .joined(separator: "\n      ")
  }

  /// Lines that hide the store from browsers.
  var bucketHiddenLines: String {
    if bucket == nil { return "" }
    let names = Self.hidden + Self.hiddenOfAmazon.map { "X-Amz-\($0)" }
    return names.map { "proxy_hide_header \($0);" }.joined(separator: "\n      ")
  }

  /// Statuses of a store in place of which browsers get an error of this instance: all but those that
  /// have a meaning for a file or its parts. (nginx keeps 499 for itself.)
  static func statuses(_ range: ClosedRange<Int>) -> String {
    range.filter { ![304, 404, 416].contains($0) }.map(String.init).joined(separator: " ")
  }

  /// The headers of stores that browsers do not get.
  private static let hidden: [String] = [
    "Content-Type", "Content-Disposition", "Content-Language", "Cache-Control", "Expires",
    "Set-Cookie", "Vary", "Server", "Via", "Strict-Transport-Security",
    "Content-Security-Policy", "X-Content-Type-Options", "X-Xss-Protection", "Referrer-Policy",
    "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials",
    "Access-Control-Allow-Methods", "Access-Control-Allow-Headers",
    "Access-Control-Expose-Headers", "X-Request-Id", "X-Trans-Id", "X-Openstack-Request-Id",
    "X-Rgw-Object-Type", "X-Amzn-Requestid", "X-Amzn-Trace-Id", "X-Ratelimit-Limit",
    "X-Ratelimit-Remaining",
  ]

  /// The same that begin with `X-Amz-`.
  private static let hiddenOfAmazon: [String] = [
    "Bucket-Region", "Checksum-Crc32", "Checksum-Crc32c", "Checksum-Crc64nvme", "Checksum-Sha1",
    "Checksum-Sha256", "Checksum-Type", "Content-Sha256", "Delete-Marker", "Expiration", "Id-2",
    "Missing-Meta", "Mp-Parts-Count", "Object-Lock-Legal-Hold", "Object-Lock-Mode",
    "Object-Lock-Retain-Until-Date", "Replication-Status", "Request-Charged", "Request-Id",
    "Restore", "Server-Side-Encryption", "Server-Side-Encryption-Aws-Kms-Key-Id",
    "Server-Side-Encryption-Bucket-Key-Enabled", "Storage-Class", "Tagging-Count", "Version-Id",
    "Website-Redirect-Location",
  ]
}
