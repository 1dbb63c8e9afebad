import Core
import Foundation
import Glibc
import Testing

@testable import Mail

@Suite("Mail by SMTP")
struct SMTPSenderTests {
  private static let text = Array("Subject: a\r\n\r\nb\r\n".utf8)

  private let sink: MailSink
  private let us: MailAddress

  init() throws {
    sink = try MailSink.shared
    us = try MailAddress("hello@pairspot.example")
  }

  private func sender(
    port: Int? = nil, login: SMTPSender.Login? = nil, security: SMTPSender.Security = .none,
    timeout: Double = 10, certificates: String? = nil
  ) -> SMTPSender {
    SMTPSender(
      host: "127.0.0.1", port: port ?? sink.ports.plain, login: login, security: security,
      timeout: timeout, certificates: certificates)
  }

  private func failure(
    _ sender: SMTPSender, from: String = "hello@pairspot.example", to: String = "x@y.example"
  ) -> MailSendError? {
    do {
      try sender.send(Self.text, from: try MailAddress(from), to: try MailAddress(to))
      return nil
    } catch {
      return error as? MailSendError
    }
  }

  private func isUnreachable(_ failure: MailSendError?, saying words: String = "") -> Bool {
    guard case .unreachable(let text) = failure else { return false }
    return words.isEmpty || text.contains(words)
  }

  private func isTemporary(_ failure: MailSendError?, saying words: String = "") -> Bool {
    guard case .temporary(let text) = failure else { return false }
    return words.isEmpty || text.contains(words)
  }

  private func isRefusalOfUs(_ failure: MailSendError?, saying words: String = "") -> Bool {
    guard case .refusedUs(let text) = failure else { return false }
    return words.isEmpty || text.contains(words)
  }

  @Test(
    "The message arrives as sent, byte for byte",
    arguments: [
      "Subject: a\r\n\r\nb\r\n", ".\r\n", "..\r\n.a\r\n", "Subject: a\r\n\r\n.\r\n.\r\n..b\r\n.",
      "Subject: \u{E9}\r\n\r\n梅\r\n", "\r\n\r\n\r\n",
      String(repeating: ".\r\n", count: 50_000), String(repeating: "x.\r\n", count: 50_000),
    ])
  func identical(text: String) throws {
    let to = "t\(text.utf8.count)-\(UInt32.random(in: 0 ... .max))@y.example"
    let sent = Array(text.utf8)
    try sender().send(sent, from: us, to: try MailAddress(to))
    let whole = text.hasSuffix("\r\n") ? sent : sent + [0x0D, 0x0A]
    #expect(sink.message(to: to) == whole)
  }

  @Test("The envelope has the two addresses, and we greet with our domain")
  func envelope() throws {
    try sender().send(
      Self.text, from: try MailAddress("Hello@PairSpot.example"),
      to: try MailAddress("Envelope.Test@例子.测试"))
    let envelope = try sink.envelope(to: "Envelope.Test@xn--fsqu00a.xn--0zwm56d")
    #expect(envelope.from == "Hello@pairspot.example")
    #expect(envelope.to == ["Envelope.Test@xn--fsqu00a.xn--0zwm56d"])
    #expect(envelope.greeting == "pairspot.example")
    #expect(envelope.login == nil)
  }

  @Test(
    "An unknown recipient, or a full mailbox, is refused for good",
    arguments: [
      ("unknown", 550, "5.1.1 No such user"), ("unknownlines", 550, "5.1.1 No such 5.1.1 user"),
      ("fullbox", 552, "5.2.2 Mailbox full"),
      ("unknownlater", 550, "5.1.1 No such user after all"),
    ])
  func permanent(name: String, code: Int, text: String) {
    #expect(
      failure(sender(), to: "\(name)@y.example") == .refusedRecipient(code: code, text: text))
  }

  @Test(
    "Any other refusal is tried again",
    arguments: ["greylisted", "temporarilyunknown", "busylater", "bare", "systemfull", "lying"])
  func temporary(name: String) {
    let failure = failure(sender(), to: "\(name)@y.example")
    #expect(isTemporary(failure), "\(String(describing: failure))")
  }

  @Test("A refusal of the sender is reported as such, for every command")
  func refusedUs() {
    let plain = sender()
    #expect(isRefusalOfUs(failure(plain, to: "policy@y.example"), saying: "5.7.1 Relaying"))
    #expect(isRefusalOfUs(failure(plain, to: "spam@y.example"), saying: "5.7.1 Looks like spam"))
    #expect(isRefusalOfUs(failure(plain, from: "banned@y.example"), saying: "5.1.8 Bad sender"))
    #expect(isRefusalOfUs(failure(sender(port: sink.ports.refusing)), saying: "554 5.3.2"))
  }

  @Test("A server that is away for now is tried again")
  func away() {
    #expect(isUnreachable(failure(sender(port: sink.ports.away)), saying: "421"))
    #expect(isTemporary(failure(sender(), from: "slow@y.example"), saying: "451 4.4.1"))
  }

  @Test("The envelope's sender is the return path, the message's the one that it names")
  func returnPath() throws {
    let message = MailMessage(
      fromName: "PairSpot", from: us, to: try MailAddress("return@y.example"),
      subject: "Hello", text: "a\n", html: "<p>a</p>\n", messageID: "a@b.c",
      date: Instant(milliseconds: 0), language: .english)
    try sender().send(message, returnPath: try MailAddress("hello+b234@pairspot.example"))
    let envelope = try sink.envelope(to: "return@y.example")
    #expect(envelope.from == "hello+b234@pairspot.example")
    #expect(sink.message(to: "return@y.example") == message.rendered())
  }

  @Test("With name and password the server lets us in")
  func login() throws {
    let login = SMTPSender.Login(user: "mei", password: "s3cret 梅")
    let to = "login@y.example"
    try sender(port: sink.ports.login, login: login).send(
      Self.text, from: us, to: try MailAddress(to))
    #expect(try sink.envelope(to: to).login == "mei")
  }

  @Test("A wrong or missing password is a refusal of the sender, and is not in the report")
  func wrongPassword() {
    let login = SMTPSender.Login(user: "mei", password: "wr0ng")
    let refused = failure(sender(port: sink.ports.login, login: login))
    #expect(isRefusalOfUs(refused, saying: "535 5.7.8"))
    #expect(!"\(String(describing: refused))".contains("wr0ng"))
    #expect(isRefusalOfUs(failure(sender(port: sink.ports.login)), saying: "530 5.7.0"))
  }

  @Test("STARTTLS and TLS deliver to a server whose certificate is trusted")
  func encrypted() throws {
    for (security, port) in [
      (SMTPSender.Security.starttls, sink.ports.starttls), (.tls, sink.ports.tls),
    ] {
      let to = "\(security.rawValue)@y.example"
      try sender(port: port, security: security, certificates: sink.certificate).send(
        Self.text, from: us, to: try MailAddress(to))
      #expect(sink.message(to: to) == Self.text)
    }
  }

  @Test("A server whose certificate is not trusted, or that has no TLS, gets nothing")
  func untrusted() {
    #expect(
      isRefusalOfUs(failure(sender(port: sink.ports.starttls, security: .starttls))))
    #expect(isRefusalOfUs(failure(sender(port: sink.ports.tls, security: .tls))))
    #expect(isRefusalOfUs(failure(sender(security: .starttls))))
    #expect(failure(sender(security: .tls, timeout: 1)) != nil)
    #expect(sink.message(to: "x@y.example") == nil)
  }

  @Test("A port without a listener is an unreachable server")
  func nobody() throws {
    let socket = try Loopback()
    #expect(isUnreachable(failure(sender(port: socket.port))))
  }

  @Test("A server that says nothing is none after the time that we give it")
  func silent() throws {
    let socket = try Loopback()
    try socket.listen()
    #expect(isUnreachable(failure(sender(port: socket.port, timeout: 0.3))))
  }

  @Test("Many threads send at once")
  func threads() {
    let sender = sender()
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      #expect(throws: Never.self) {
        try sender.send(
          Self.text, from: us, to: try MailAddress("thread\(index)@y.example"))
      }
    }
    for index in 0..<8 {
      #expect(sink.message(to: "thread\(index)@y.example") == Self.text)
    }
  }
}

/// A reserved port on loopback; connections are refused until it listens, and then accepted by the
/// system and never answered.
private final class Loopback {
  struct Failed: Error {}

  let port: Int
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard bound else { throw Failed() }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit {
    close(descriptor)
  }

  func listen() throws {
    guard Glibc.listen(descriptor, 8) == 0 else { throw Failed() }
  }
}
