import HTTPTypes
import Testing

@testable import Web

@Suite("Files that a handler sends")
struct FileResponseTests {
  @Test(
    "A range header asks for one part, for all or for nothing that is there",
    arguments: [
      (nil, .whole), ("", .whole), ("bytes=0-1", .part(0..<2)), ("bytes=4-7", .part(4..<8)),
      ("bytes=9-9", .part(9..<10)), ("bytes=3-", .part(3..<10)), ("bytes=0-99", .part(0..<10)),
      ("bytes=0-99999999999999999999", .part(0..<10)), ("bytes=-4", .part(6..<10)),
      ("bytes=-99", .part(0..<10)), ("bytes=-99999999999999999999", .part(0..<10)),
      ("bytes=10-", .unsatisfiable), ("bytes=10-20", .unsatisfiable),
      ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
      ("bytes=5-4", .whole), ("bytes=-", .whole), ("bytes=", .whole), ("bytes=1", .whole),
      ("bytes=0-1,3-4", .whole), ("bytes=0-1, 3-4", .whole), ("bytes=a-b", .whole),
      ("bytes=+1-2", .whole), ("bytes=1--2", .whole), ("lines=0-1", .whole), ("0-1", .whole),
    ] as [(String?, RequestedRange)])
  func ranges(_ header: String?, _ expected: RequestedRange) {
    #expect(RequestedRange(header, of: 10) == expected)
  }

  @Test("No part of an empty file is there")
  func empty() {
    for header in ["bytes=0-", "bytes=0-0", "bytes=-1"] {
      #expect(RequestedRange(header, of: 0) == .unsatisfiable, "\(header)")
    }
    #expect(RequestedRange(nil, of: 0) == .whole)
  }

  private func sent(
    _ method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:]
  ) -> Response {
    .file(
      [10, 11, 12, 13], contentType: "audio/mp4", cacheControl: "private, no-store",
      for: Request(method: method, target: "/", headers: headers, id: "r"))
  }

  @Test("The whole file has its type and length, is not kept, and may run nothing")
  func whole() {
    let answer = sent()
    #expect(answer.status == .ok && answer.body == [10, 11, 12, 13])
    #expect(answer.headers[.contentType] == "audio/mp4")
    #expect(answer.headers[.contentLength] == "4" && answer.headers[.acceptRanges] == "bytes")
    #expect(answer.headers[.cacheControl] == "private, no-store")
    #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("sandbox;") == true)
  }

  @Test("A part is 206, and one that is not there 416 without bytes")
  func part() {
    let part = sent(.get, [.range: "bytes=1-2"])
    #expect(part.status == .partialContent && part.body == [11, 12])
    #expect(part.headers[.contentRange] == "bytes 1-2/4" && part.headers[.contentLength] == "2")
    #expect(part.headers[.contentType] == "audio/mp4")
    let none = sent(.get, [.range: "bytes=4-"])
    #expect(none.status == .rangeNotSatisfiable && none.body == [])
    #expect(none.headers[.contentRange] == "bytes */4" && none.headers[.contentType] == nil)
  }

  @Test("HEAD, and a range with a condition, get the whole file")
  func ignored() {
    #expect(sent(.head, [.range: "bytes=1-2"]).status == .ok)
    let conditional = sent(.get, [.range: "bytes=1-2", .ifRange: "\"a\""])
    #expect(conditional.status == .ok && conditional.body == [10, 11, 12, 13])
  }
}
