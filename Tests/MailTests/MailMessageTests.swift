import Core
import Foundation
import Testing

@testable import Mail

@Suite("Messages")
struct MailMessageTests {
  private static func message(
    fromName: String = "PairSpot", subject: String = "Hello", text: String = "Good morning.\n",
    html: String = "<p>Good morning.</p>\n", messageID: String = "abc-1@example.test",
    date: Instant = Instant(milliseconds: 1_768_266_305_999), headers: [MailMessage.Header] = []
  ) throws -> MailMessage {
    MailMessage(
      fromName: fromName, from: try MailAddress("hello@example.test"),
      to: try MailAddress("mei@example.test"), subject: subject, text: text, html: html,
      messageID: messageID, date: date, language: .traditionalChinese, headers: headers)
  }

  /// Lines without their CRLF; empty if a line ends otherwise.
  private static func lines(_ bytes: [UInt8]) -> [String] {
    let text = String(decoding: bytes, as: UTF8.self)
    let bare = text.replacing("\r\n", with: "").utf8.contains { $0 == 0x0D || $0 == 0x0A }
    return bare ? [] : text.components(separatedBy: "\r\n")
  }

  @Test("Another reader finds everything in its place")
  func readBack() throws {
    let mail = try ReadMail(
      Self.message(headers: [
        .init("List-Unsubscribe", "<https://example.test/c/abc/stop>"),
        .init("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
      ]).rendered())
    #expect(mail.fromName == "PairSpot")
    #expect(mail.fromAddress == "hello@example.test")
    #expect(mail.toAddress == "mei@example.test")
    #expect(mail.subject == "Hello")
    #expect(mail.seconds == 1_768_266_305)
    #expect(mail.types == ["multipart/alternative", "text/plain", "text/html"])
    #expect(mail.languages == ["utf-8", "utf-8"])
    #expect(mail.text == "Good morning.\n")
    #expect(mail.html == "<p>Good morning.</p>\n")
    #expect(mail.values("Message-ID") == ["<abc-1@example.test>"])
    #expect(mail.values("Date") == ["Tue, 13 Jan 2026 01:05:05 +0000"])
    #expect(mail.values("MIME-Version") == ["1.0"])
    #expect(mail.values("Auto-Submitted") == ["auto-generated"])
    #expect(mail.values("Content-Language") == ["zh-Hant"])
    #expect(mail.values("List-Unsubscribe") == ["<https://example.test/c/abc/stop>"])
    #expect(mail.values("List-Unsubscribe-Post") == ["List-Unsubscribe=One-Click"])
    #expect(mail.defects == [])
  }

  @Test(
    "A subject of any characters and length is read back whole",
    arguments: [
      "", "a", "[一键打卡] 关于 美 的签到提醒", "[PairSpot] About José’s check-in", "=?UTF-8?Q?x?=",
      "👩‍❤️‍👨 ready?", "a  b", String(repeating: "提醒", count: 120),
      String(repeating: "word ", count: 60) + "end", String(repeating: "x", count: 200),
      String(repeating: "y", count: 2000), "Price: 3 < 4; \"quoted\", (not) a comment",
    ])
  func subjects(subject: String) throws {
    let bytes = try Self.message(subject: subject).rendered()
    let mail = try ReadMail(bytes)
    #expect(mail.subject == subject)
    #expect(mail.defects == [])
    #expect(Self.lines(bytes).count > 10)
    #expect(
      Self.lines(bytes).allSatisfy { $0.utf8.count <= 998 && $0.utf8.allSatisfy { $0 < 128 } })
  }

  @Test("Encoded lines stay within 76 bytes and cut no character in two")
  func folding() throws {
    let bytes = try Self.message(subject: String(repeating: "签到a", count: 60)).rendered()
    let encoded = Self.lines(bytes).filter { $0.contains("=?UTF-8?B?") }
    #expect(encoded.count > 5)
    for line in encoded {
      #expect(line.utf8.count <= 76)
      let word = line.components(separatedBy: "=?UTF-8?B?")[1].dropLast(2)
      let piece = try #require(Data(base64Encoded: String(word)))
      #expect(String(data: piece, encoding: .utf8) != nil)
    }
  }

  @Test(
    "A sender's name of any characters is read back whole",
    arguments: [
      "PairSpot", "Mei & Jun", "Lin, Mei", "\"Mei\" \\ (Jun) <x@y.z>", "林美與陳俊", "José",
      String(repeating: "名", count: 60), "a@b.example",
    ])
  func names(name: String) throws {
    let mail = try ReadMail(Self.message(fromName: name).rendered())
    #expect(mail.fromName == name)
    #expect(mail.fromAddress == "hello@example.test")
    #expect(mail.defects == [])
  }

  @Test("Without a name there is only the address")
  func noName() throws {
    let mail = try ReadMail(Self.message(fromName: "").rendered())
    #expect(mail.fromName == "")
    #expect(mail.fromAddress == "hello@example.test")
  }

  @Test(
    "A line break in a field begins no header",
    arguments: ["\r\n", "\n", "\r", "\r\n ", "\u{2028}", "\u{85}", "\0\r\n"])
  func injection(lineBreak: String) throws {
    let evil = "Mei\(lineBreak)Bcc: victim@example.test\(lineBreak)\(lineBreak)body"
    let bytes = try Self.message(
      fromName: evil, subject: evil, messageID: "a\(lineBreak)Bcc: x@y.z",
      headers: [.init("X-Note\(lineBreak)Bcc", evil)]
    ).rendered()
    let mail = try ReadMail(bytes)
    #expect(mail.values("Bcc") == [])
    #expect(mail.values("MIME-Version") == ["1.0"])
    #expect(mail.subject.hasPrefix("Mei ") && mail.subject.hasSuffix(" body"))
    #expect(mail.text == "Good morning.\n")
    #expect(!Self.lines(bytes).isEmpty)
  }

  @Test(
    "A body of any characters and lines is read back whole",
    arguments: [
      "", "plain\n", "美已连续 2 天未在\"一键打卡\"应用中签到。\n", "Café at noon = 12:00\n",
      "trailing blank \nand tab\t\ncafé \n", ".\n..\n.dot\nFrom me\n--\n--=_\n",
      String(repeating: "x", count: 3000) + "\n", String(repeating: "é x", count: 900) + "\n",
      "https://example.test/verify?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&x=1\n",
      "\n\nempty lines\n\n\nend\n", String(repeating: "山", count: 1000) + "\n", "\u{0}\u{7}x\n",
    ])
  func bodies(text: String) throws {
    let bytes = try Self.message(text: text, html: text).rendered()
    let mail = try ReadMail(bytes)
    let expected = text.isEmpty ? "\n" : text
    #expect(mail.text == expected)
    #expect(mail.html == expected)
    #expect(mail.defects == [])
    #expect(Self.lines(bytes).count > 10)
    #expect(
      Self.lines(bytes).allSatisfy { $0.utf8.count <= 998 && $0.utf8.allSatisfy { $0 < 128 } })
  }

  @Test("Bare returns and CRLFs in a body become plain line ends")
  func lineEnds() throws {
    let mail = try ReadMail(Self.message(text: "a\r\nb\rc\nd").rendered())
    #expect(mail.text == "a\nb\nc\nd\n")
  }

  @Test("An English mail stays readable as it is, links included")
  func readable() throws {
    let link = "https://example.test/verify?token=" + String(repeating: "A", count: 43)
    let bytes = try Self.message(text: "Follow \(link)\n").rendered()
    #expect(String(decoding: bytes, as: UTF8.self).contains("\r\nFollow \(link)\r\n"))
  }

  @Test("The same message is the same bytes each time")
  func stable() throws {
    let message = try Self.message(subject: "提醒")
    #expect(message.rendered() == message.rendered())
  }

  @Test(
    "Dates carry the right day of the week",
    arguments: [
      (0, "Thu, 1 Jan 1970 00:00:00 +0000"), (-1, "Wed, 31 Dec 1969 23:59:59 +0000"),
      (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000"),
      (1_798_761_599_000, "Thu, 31 Dec 2026 23:59:59 +0000"),
    ] as [(Int64, String)])
  func dates(milliseconds: Int64, expected: String) {
    #expect(MailDate.text(Instant(milliseconds: milliseconds)) == expected)
  }
}
