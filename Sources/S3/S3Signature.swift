import Core
import Secrets

/// Presigned addresses by AWS Signature Version 4 in the query
/// (docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html), which libcurl does not
/// make.
struct S3Signature {
  let settings: S3Settings

  /// The query with which anyone may GET a file for some seconds.
  func query(of path: String, seconds: Int, now: Instant) -> String {
    let time = Self.time(now)
    let day = String(time.prefix(8))
    let scope = "\(day)/\(settings.region)/s3/aws4_request"
    let query = Self.query([
      ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
      ("X-Amz-Credential", "\(settings.accessKey)/\(scope)"), ("X-Amz-Date", time),
      ("X-Amz-Expires", String(seconds)), ("X-Amz-SignedHeaders", "host"),
    ])
    let request = [
      "GET", Self.encoded(settings.base + path, keeping: "/"), query, "host:\(settings.host)", "",
      "host", "UNSIGNED-PAYLOAD",
    ].joined(separator: "\n")
    let text = [
      "AWS4-HMAC-SHA256", time, scope, Hex.text(Digests.sha256(Array(request.utf8))),
    ].joined(separator: "\n")
    var key = Array("AWS4\(settings.secretKey)".utf8)
    for part in [day, settings.region, "s3", "aws4_request", text] {
      key = Digests.hmac(Array(part.utf8), key: key)
    }
    return "\(query)&X-Amz-Signature=\(Hex.text(key))"
  }

  /// "20130524T000000Z".
  static func time(_ now: Instant) -> String {
    now.rfc3339.replacing("-", with: "").replacing(":", with: "")
  }

  /// A query in canonical form; the names must be in order.
  static func query(_ values: [(name: String, value: String)]) -> String {
    values.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
  }

  /// Percent-encodes all but the unreserved characters of RFC 3986 and those of `kept`.
  static func encoded(_ text: String, keeping kept: String = "") -> String {
    let free = Set("-._~\(kept)".utf8)
    return text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      case _ where free.contains(byte): result.unicodeScalars.append(Unicode.Scalar(byte))
      default: result += "%\(Hex.text([byte]).uppercased())"
      }
    }
  }
}
