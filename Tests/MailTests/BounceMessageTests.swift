import Core
import Foundation
import Testing

@testable import Mail

@Suite("Messages from mail servers")
struct BounceMessageTests {
  private static let address = "home+babc@pairspot.example"

  private func read(_ text: String, lineEnd: String = "\r\n") throws -> BounceMessage {
    try BounceMessage(Array(text.replacing("\n", with: lineEnd).utf8))
  }

  private func reason(_ message: BounceMessage) -> String? {
    guard case .failed(let reason) = message.verdict else { return nil }
    return reason
  }

  @Test(
    "Postfix, Exim, Gmail and Outlook are understood, with either line end",
    arguments: [
      (BounceSamples.postfix(to: address), "550 5.1.1 <lin@dest.example>: Recipient address"),
      (BounceSamples.exim(to: address), "5.0.0 550 5.1.1 <lin@dest.example> User doesn't exist"),
      (BounceSamples.oldExim(to: address), "host mx.dest.example [5.1.1.25]: 550-5.1.1 No such"),
      (BounceSamples.gmail(to: address), "550-5.1.1 The email account that you tried to reach"),
      (BounceSamples.outlook(to: address), "550 5.5.0 Requested action not taken: mailbox"),
    ])
  func servers(text: String, beginning: String) throws {
    for lineEnd in ["\n", "\r\n"] {
      let message = try read(text, lineEnd: lineEnd)
      #expect(reason(message)?.hasPrefix(beginning) == true, "\(message.verdict)")
      #expect(message.recipients.contains(Self.address))
    }
  }

  @Test(
    "A delay, a relay, an expansion and a status that is none are none of our business",
    arguments: [
      ("delayed", "4.4.1"), ("delayed", "5.1.1"), ("relayed", "2.0.0"), ("delivered", "2.1.5"),
      ("expanded", "2.0.0"), ("failed", "2.0.0"), ("failed", ""),
      ("", "5.1.1"), ("failed", "5"), ("failed", "15.1.1"),
    ])
  func ignored(action: String, status: String) throws {
    let message = try read(
      BounceSamples.postfix(to: Self.address, action: action, status: status))
    guard case .ignored(let why) = message.verdict else {
      Issue.record("\(message.verdict)")
      return
    }
    #expect(!why.isEmpty && !why.contains("\n"))
  }

  @Test(
    "Capitals, comments and spaces around a value don't matter",
    arguments: [
      ("Failed", "5.1.1 (bad mailbox)"), ("FAILED ", "  5.2.1"), ("failed (no)", "5.2.0"),
    ])
  func forms(action: String, status: String) throws {
    let text = BounceSamples.postfix(to: Self.address, action: action, status: status)
    #expect(try reason(read(text)) != nil)
    #expect(try reason(read(text.replacing("Action:", with: "ACTION  :"))) != nil)
  }

  @Test(
    "Given up after days of waiting, or since a server takes nothing from us: lost on its way",
    arguments: ["4.2.0", "4.4.7", "5.7.1", "5.7.26"])
  func lost(status: String) throws {
    let message = try read(
      BounceSamples.postfix(to: Self.address, action: "failed", status: status))
    guard case .lost(let reason) = message.verdict else {
      Issue.record("\(message.verdict)")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test("Without the server's text the status is the reason")
  func noDiagnostic() throws {
    let text = BounceSamples.postfix(to: Self.address)
      .replacing("Diagnostic-Code:", with: "X-Nothing:")
    #expect(try reason(read(text)) == "5.1.1")
  }

  @Test("One of several recipients that failed is enough")
  func several() throws {
    let text = BounceSamples.postfix(to: Self.address, action: "delayed", status: "4.4.1")
      .replacing(
        "Remote-MTA: dns; mx.dest.example",
        with: "\nFinal-Recipient: rfc822; b@dest.example\nAction: failed\nStatus: 5.1.1\n")
    #expect(try reason(read(text)) == "5.1.1")
  }

  @Test("A report in base64 or quoted-printable, and one in UTF-8, is read too")
  func encodings() throws {
    let report =
      "Reporting-MTA: dns; x\n\nFinal-Recipient: utf-8; 梅@例子.测试\nAction: failed\nStatus: 5.1.1\n"
    for (encoding, body) in [
      ("base64", Data(report.utf8).base64EncodedString(options: .lineLength76Characters)),
      ("quoted-printable", report.replacing(": failed", with: "=3A fai=\nled")),
      ("8bit", report),
    ] {
      let text = """
        From: MAILER-DAEMON
        To: \(Self.address)
        Content-Type: Multipart/Report; boundary=x

        --x
        Content-Type: message/global-delivery-status
        Content-Transfer-Encoding: \(encoding)

        \(body)
        --x--
        """
      for lineEnd in ["\n", "\r\n"] {
        #expect(try reason(read(text, lineEnd: lineEnd)) == "5.1.1", "\(encoding)")
      }
    }
  }

  @Test("Holiday answers, replies of people and quoted bounces change nothing")
  func people() throws {
    for text in [
      BounceSamples.vacation(to: Self.address), BounceSamples.reply(to: Self.address),
      """
      From: Lin <lin@dest.example>
      To: \(Self.address)
      Content-Type: multipart/mixed; boundary=outer

      --outer

      Look at this.
      --outer
      Content-Type: message/rfc822

      \(BounceSamples.postfix(to: Self.address))
      --outer--
      """,
    ] {
      let verdict = try read(text).verdict
      guard case .ignored = verdict else {
        Issue.record("\(verdict)")
        continue
      }
    }
  }

  @Test("The line that mbox files put in front is no header")
  func mbox() throws {
    let text = "From MAILER-DAEMON Tue Jan 13 01:05:09 2026\n"
    let message = try read(text + BounceSamples.postfix(to: Self.address))
    #expect(reason(message) != nil && message.recipients.first == Self.address)
  }

  // MARK: Hostile ones

  @Test("A malformed message throws", arguments: ["", "\n", "\n\nFrom: a@b.c", "words"])
  func nothing(text: String) {
    #expect(throws: BounceMessage.Problem.self) { try read(text) }
  }

  @Test("More than 1 MiB is refused unread")
  func tooLong() {
    let bytes = Array("From: a@b.c\n\n".utf8) + [UInt8](repeating: 65, count: 1 << 20)
    #expect(throws: BounceMessage.Problem.self) { try BounceMessage(bytes) }
  }

  @Test("Parts within parts are followed five deep, and no deeper")
  func nesting() throws {
    func nested(_ depth: Int) -> String {
      var text = "Content-Type: message/delivery-status\n\nAction: failed\nStatus: 5.1.1\n"
      for level in 0..<depth {
        text =
          "Content-Type: multipart/mixed; boundary=b\(level)\n\n--b\(level)\n\(text)\n--b\(level)--"
      }
      return "To: x@y.z\n\(text)"
    }
    #expect(try reason(read(nested(5))) == "5.1.1")
    for depth in [6, 100, 3000] { #expect(try reason(read(nested(depth))) == nil) }
  }

  @Test("Hostile shapes of up to 1 MiB are read, and no part of them over and over")
  func shapes() throws {
    // Such a text would take hours.
    let maximum = 1_000_000
    let head = "From: MAILER-DAEMON\nTo: x@y.z\n"
    let report = "\(head)Content-Type: message/delivery-status\n\n"
    let multipart = "\(head)Content-Type: multipart/report; boundary=x\n\n"
    for text in [
      String(repeating: "a", count: maximum), String(repeating: ":\n", count: maximum / 2),
      head + String(repeating: " folded\n", count: maximum / 8),
      "To: " + String(repeating: "a@b.c,", count: maximum / 6),
      "To: " + String(repeating: "<", count: maximum),
      report + String(repeating: "\n", count: maximum),
      report + String(repeating: "Action: failed\nStatus: 4.1.1\n\n", count: maximum / 30),
      multipart + String(repeating: "--x\n", count: maximum / 4),
      multipart
        + String(repeating: "--x\nContent-Type: multipart/a; boundary=x\n\n", count: 20_000),
      "\(head)Content-Type: multipart/x; boundary=\n\n--\n--\n",
      "\(head)Content-Type: multipart/x; boundary=\"\n\n--\"\n",
      "\(head)Content-Type: ;;;=;boundary\n\n",
      "\(head)\n" + String(repeating: "5.", count: maximum / 2),
      "\(head)\n" + String(repeating: "5.1.1.", count: maximum / 6),
      "\(head)Content-Transfer-Encoding: quoted-printable\n\n"
        + String(repeating: "=", count: maximum),
      "\(head)Content-Transfer-Encoding: base64\n\n" + String(repeating: "é=", count: maximum / 3),
      "\(head)\n\u{0}\u{FFFF}\r\r\r", "\(multipart)--x",
    ] {
      let message = try? read(String(text.prefix(1 << 20)), lineEnd: "\n")
      _ = message?.recipients
      _ = message?.verdict
    }
  }

  @Test("Cut and changed messages never stop the program")
  func fuzz() throws {
    let samples = [
      BounceSamples.postfix(to: Self.address), BounceSamples.gmail(to: Self.address),
      BounceSamples.oldExim(to: Self.address), BounceSamples.outlook(to: Self.address),
    ].map { Array($0.utf8) }
    let rounds = ProcessInfo.processInfo.environment["PAIRSPOT_FUZZ_ROUNDS"].flatMap { Int($0) }
    let signs = Array("\r\n:;=\"<>-. \u{0}\u{FF}51aé@".utf8)
    for round in 0..<(rounds ?? 1500) {
      var bytes = samples[round % samples.count]
      for _ in 0..<Int.random(in: 1...8) {
        let place = Int.random(in: 0..<bytes.count)
        switch Int.random(in: 0..<4) {
        case 0: bytes[place] = signs[Int.random(in: 0..<signs.count)]
        case 1: bytes.insert(signs[Int.random(in: 0..<signs.count)], at: place)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40)))
        default: bytes = Array(bytes.prefix(max(1, place)))
        }
        if bytes.isEmpty { bytes = [0x0A] }
      }
      let message = try? BounceMessage(bytes)
      _ = message?.recipients
      if case .failed(let reason) = message?.verdict {
        #expect(reason.count <= 300 && !reason.contains("\n"))
      }
    }
  }
}
