import Core
import Testing

@testable import S3

@Suite("Signed addresses")
struct S3SignatureTests {
  /// docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
  @Test("The published example")
  func published() throws {
    let settings = try S3Settings(
      endpoint: "https://s3.amazonaws.com", bucket: "examplebucket", region: "us-east-1",
      accessKey: "AKIAIOSFODNN7EXAMPLE",
      secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", isPathStyle: false)
    let now = try #require(Instant(rfc3339: "2013-05-24T00:00:00Z"))
    #expect(
      S3Signature(settings: settings).query(of: "/test.txt", seconds: 86_400, now: now)
        == [
          "X-Amz-Algorithm=AWS4-HMAC-SHA256",
          "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request",
          "X-Amz-Date=20130524T000000Z", "X-Amz-Expires=86400", "X-Amz-SignedHeaders=host",
          "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
        ].joined(separator: "&"))
  }

  @Test("Only unreserved characters stay as they are")
  func encoding() {
    #expect(S3Signature.encoded("aZ09-._~/ +梅") == "aZ09-._~%2F%20%2B%E6%A2%85")
    #expect(S3Signature.encoded("a/b c", keeping: "/") == "a/b%20c")
  }

  private func settings(
    _ endpoint: String, _ bucket: String = "media", region: String = "here",
    accessKey: String = "key", secretKey: String = "secret", isPathStyle: Bool = true
  ) throws(S3Settings.Fault) -> S3Settings {
    try S3Settings(
      endpoint: endpoint, bucket: bucket, region: region, accessKey: accessKey,
      secretKey: secretKey, isPathStyle: isPathStyle)
  }

  @Test("The bucket is in the path or in the host, and a usual port is left out")
  func address() throws {
    #expect(try settings("https://s3.example:443").address == "https://s3.example/media")
    #expect(try settings("http://[::1]:9000").hostName == "[::1]")
    let named = try settings("https://s3.example:9000", isPathStyle: false)
    #expect(named.address == "https://media.s3.example:9000")
    #expect(named.hostName == "media.s3.example")
  }

  @Test("What could lead a request elsewhere is refused")
  func faults() {
    for endpoint in [
      "", "s3.example", "ftp://s3.example", "https://s3.example/", "https://a@s3.example",
      "https://S3.example", "https://s3.example;", "https://s3.example:123456",
    ] {
      #expect(throws: S3Settings.Fault.endpoint) { try settings(endpoint) }
    }
    for bucket in ["", "ab", "Media", "a/b", "-ab", "a b"] {
      #expect(throws: S3Settings.Fault.bucket) { try settings("https://a", bucket) }
    }
    #expect(throws: S3Settings.Fault.dottedBucket) {
      try settings("https://a", "a.b.c", isPathStyle: false)
    }
    #expect(throws: S3Settings.Fault.region) { try settings("https://a", region: "a/b") }
    #expect(throws: S3Settings.Fault.accessKey) { try settings("https://a", accessKey: "a/b") }
    #expect(throws: S3Settings.Fault.secretKey) { try settings("https://a", secretKey: "a\nb") }
  }
}
