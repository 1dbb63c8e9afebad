import Core
import Media
import Testing

@testable import S3

@Suite("Answers of a store")
struct S3DocumentTests {
  private func list(_ entries: String, isTruncated: Bool = false) -> [UInt8] {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>media</Name>\
      <Prefix>drafts/</Prefix><IsTruncated>\(isTruncated)</IsTruncated>\(entries)</ListBucketResult>
      """
    return Array(text.utf8)
  }

  private func entry(
    _ key: String, size: String = "5", at time: String = "2026-03-02T01:02:03.000Z"
  ) -> String {
    "<Contents><Key>\(key)</Key><LastModified>\(time)</LastModified><ETag>&quot;a&quot;</ETag>"
      + "<Size>\(size)</Size><Owner><ID>1</ID></Owner></Contents>"
  }

  private func page(_ body: [UInt8], after mark: String? = nil) throws(MediaError) -> MediaPage {
    try S3Document.page(body, below: "drafts/", after: mark)
  }

  @Test("A list has paths, sizes and times, and the mark of the next one")
  func list() throws {
    let at = try #require(Instant(rfc3339: "2026-03-02T01:02:03Z"))
    let files = [
      MediaFile(path: "drafts/a&b", size: 5, storedAt: at),
      MediaFile(path: "drafts/c", size: 5, storedAt: at),
    ]
    let entries = entry("drafts/a&amp;b") + entry("drafts/c")
    #expect(try page(list(entries)) == MediaPage(files: files))
    #expect(try page(list(entries, isTruncated: true)) == MediaPage(files: files, next: "drafts/c"))
    #expect(try page(list("")) == MediaPage(files: []))
  }

  @Test("An answer that is no list, or a list that would never end, is refused")
  func hostile() {
    let long = String(repeating: entry("drafts/a"), count: 40_000)
    let answers: [[UInt8]] = [
      [], Array("no XML".utf8), Array("<Error><Code>x</Code></Error>".utf8), list("<a>"),
      list(entry("drafts/a", size: "-1")), list(entry("drafts/a", size: "1e9")),
      list(entry("drafts/a", at: "yesterday")), list(entry("couples/a")),
      list(entry("drafts/b") + entry("drafts/a")), list(entry("drafts/a") + entry("drafts/a")),
      list("", isTruncated: true), list(long),
      Array("<!DOCTYPE a [<!ENTITY b \"c\">]><ListBucketResult>&b;</ListBucketResult>".utf8),
      list(String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)),
    ]
    for answer in answers {
      #expect(throws: MediaError.self) { try page(answer) }
    }
    #expect(throws: MediaError.self) { try page(list(entry("drafts/a")), after: "drafts/a") }
  }

  @Test("The code of an error is read; pictures have none")
  func errorCode() {
    let error = "<?xml version=\"1.0\"?>\n<Error><Code>SlowDown</Code><Message>x</Message></Error>"
    #expect(S3Document.errorCode(Array(error.utf8)) == "SlowDown")
    let hostile = error.replacing("SlowDown", with: "Slow\n Down\u{202E}")
    #expect(S3Document.errorCode(Array(hostile.utf8)) == "SlowDown")
    #expect(S3Document.errorCode([0xFF, 0xD8, 0xFF]) == nil)
    #expect(S3Document.errorCode([]) == nil)
    #expect(S3Document.errorCode(Array("<html><Code>a</Code></html>".utf8)) == nil)
  }
}
