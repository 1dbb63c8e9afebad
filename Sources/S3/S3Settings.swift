/// A bucket of a store that speaks S3, and the key to it.
public struct S3Settings: Sendable, Equatable {
  /// "https" or "http".
  public let scheme: String
  /// The host of requests, with its port unless it is the scheme's: "media.s3.example".
  public let host: String
  /// The beginning of paths: "/media" if the bucket is in the path, else empty.
  public let base: String
  public let region: String
  let bucket: String
  let accessKey: String
  let secretKey: String

  /// An error in a value.
  public enum Fault: Error, Equatable {
    case endpoint
    case bucket
    case region
    case accessKey
    case secretKey
    /// A bucket with a dot in the host name matches no certificate.
    case dottedBucket
  }

  /// Throws a `Fault`. With `isPathStyle` the bucket is in the path, else in the host name.
  public init(
    endpoint: String, bucket: String, region: String, accessKey: String, secretKey: String,
    isPathStyle: Bool
  ) throws(Fault) {
    guard
      let parts = endpoint.wholeMatch(of: /(https?):\/\/(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?/)
    else { throw .endpoint }
    // docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    guard bucket.wholeMatch(of: /[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/) != nil else { throw .bucket }
    guard isPathStyle || !bucket.contains(".") else { throw .dottedBucket }
    guard region.wholeMatch(of: /[a-z0-9-]{1,50}/) != nil else { throw .region }
    guard accessKey.wholeMatch(of: /[A-Za-z0-9._-]{1,128}/) != nil else { throw .accessKey }
    guard !secretKey.isEmpty, secretKey.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw .secretKey
    }
    scheme = String(parts.output.1)
    let port = parts.output.3.map(String.init) ?? ""
    let isUsual = port == (scheme == "https" ? ":443" : ":80")
    let server = parts.output.2 + (isUsual ? "" : port)
    host = isPathStyle ? String(server) : "\(bucket).\(server)"
    base = isPathStyle ? "/\(bucket)" : ""
    self.bucket = bucket
    self.region = region
    self.accessKey = accessKey
    self.secretKey = secretKey
  }

  /// The address of the bucket's host.
  public var origin: String { "\(scheme)://\(host)" }

  /// The address of the bucket.
  public var address: String { origin + base }

  /// The host without its port.
  public var hostName: String {
    host.hasPrefix("[") ? "\(host.prefix { $0 != "]" })]" : String(host.prefix { $0 != ":" })
  }

  /// The value of `x-amz-copy-source` for a path.
  func source(_ path: String) -> String { "/\(bucket)\(path)" }

  func url(_ path: String, query: String = "") -> String {
    "\(address)\(path)\(query.isEmpty ? "" : "?\(query)")"
  }
}
