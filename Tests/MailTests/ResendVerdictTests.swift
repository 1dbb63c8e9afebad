import Core
import Foundation
import HTTPClient
import Testing

@testable import Mail

@Suite("Mail by Resend")
struct ResendVerdictTests {
  private func message(
    fromName: String = "PairSpot", subject: String = "Hello", headers: [MailMessage.Header] = []
  ) throws -> MailMessage {
    MailMessage(
      fromName: fromName, from: try MailAddress("home@pairspot.example"),
      to: try MailAddress("lin@dest.example"), subject: subject, text: "a\n", html: "<p>a</p>\n",
      messageID: "0198-1@pairspot.example", date: Instant(milliseconds: 0), language: .english,
      headers: headers)
  }

  private func fields(_ message: MailMessage) throws -> [String: Any] {
    let body = try ResendMail(message, id: "0198-1").encoded()
    return try #require(
      try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
  }

  @Test("A mail has all its parts, its own headers and its id as a tag")
  func whole() throws {
    let found = try fields(
      message(headers: [.init("List-Unsubscribe", "<https://pairspot.example/c/x>")]))
    #expect(found["from"] as? String == "PairSpot <home@pairspot.example>")
    #expect(found["to"] as? [String] == ["lin@dest.example"])
    #expect(found["subject"] as? String == "Hello")
    #expect(found["text"] as? String == "a\n" && found["html"] as? String == "<p>a</p>\n")
    #expect(
      found["headers"] as? [String: String] == [
        "Auto-Submitted": "auto-generated", "Content-Language": "en",
        "List-Unsubscribe": "<https://pairspot.example/c/x>",
      ])
    #expect(found["tags"] as? [[String: String]] == [["name": "mail", "value": "0198-1"]])
  }

  @Test("The same mail is the same bytes each time, since one key takes one text")
  func stable() throws {
    let headers = (0..<8).map { MailMessage.Header("X-\($0)", "梅") }
    let message = try message(subject: "提醒", headers: headers)
    let first = try ResendMail(message, id: "a").encoded()
    for _ in 0..<20 { #expect(try ResendMail(message, id: "a").encoded() == first) }
  }

  @Test(
    "Names with special characters are quoted, and line breaks start no header",
    arguments: [
      ("Mei & Jun", "Mei & Jun <home@pairspot.example>"), ("", "home@pairspot.example"),
      ("家", "家 <home@pairspot.example>"),
      ("A, \"B\" <x@y.z>", "\"A, \\\"B\\\" <x@y.z>\" <home@pairspot.example>"),
      ("A\r\nBcc: x@y.z", "\"A  Bcc: x@y.z\" <home@pairspot.example>"),
    ])
  func names(name: String, expected: String) throws {
    let found = try fields(
      message(
        fromName: name, subject: "a\r\nBcc: x@y.z", headers: [.init("X\r\nBcc", "a\r\nBcc: x")]))
    #expect(found["from"] as? String == expected)
    #expect(found["subject"] as? String == "a  Bcc: x@y.z")
    #expect((found["headers"] as? [String: String])?["XBcc"] == "a  Bcc: x")
  }

  private func verdict(_ status: Int, _ body: String = "") -> MailSendError? {
    ResendVerdict.failure(HTTPAnswer(status: status, body: Array(body.utf8)))
  }

  @Test("An accepted mail is sent", arguments: [200, 201, 202])
  func taken(status: Int) {
    #expect(verdict(status, "{\"id\":\"x\"}") == nil)
  }

  @Test("Only an error of the recipient is final")
  func recipient() {
    let body = """
      {"statusCode":422,"name":"validation_error","message":"Invalid `to` field. The email address \
      needs to follow the `email@example.com` or `Name <email@example.com>` format."}
      """
    for status in [400, 422] {
      guard case .refusedRecipient(status, _) = verdict(status, body) else {
        Issue.record("\(status)")
        continue
      }
    }
  }

  @Test(
    "An operator's error says so", arguments: [400, 401, 403, 404, 405, 413, 422, 451])
  func refusedUs(status: Int) {
    let body = "{\"name\":\"invalid_from_address\",\"message\":\"Invalid `from` field.\"}"
    #expect(
      verdict(status, body)
        == .refusedUs("\(status) invalid_from_address: Invalid `from` field."))
    #expect(verdict(status, "<html>") == .refusedUs("\(status)"))
  }

  @Test("All else passes", arguments: [100, 301, 302, 408, 409, 429, 500, 502, 503, 529])
  func temporary(status: Int) {
    #expect(verdict(status) == .temporary("\(status)"))
  }

  @Test("A server that is not the one meant is the operator's to mend, one that is away is not")
  func connection() {
    #expect(ResendVerdict.failure(.untrusted("no")) == .refusedUs("no"))
    #expect(ResendVerdict.failure(.unusable("no")) == .refusedUs("no"))
    #expect(ResendVerdict.failure(.unreachable("no")) == .unreachable("no"))
    guard case .temporary = ResendVerdict.failure(.tooLong(limit: 5)) else {
      Issue.record("too long")
      return
    }
  }
}
