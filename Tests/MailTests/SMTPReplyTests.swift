import Testing

@testable import Mail

@Suite("Replies of mail servers")
struct SMTPReplyTests {
  @Test("A reply has a code, a status if the server gives one, and words")
  func parts() {
    let reply = SMTPReply(lines: ["550 5.1.1 No such user\r"])
    #expect(reply?.code == 550)
    #expect(reply?.status == [5, 1, 1])
    #expect(reply?.text == "5.1.1 No such user")
    #expect(SMTPReply(lines: ["451 busy"])?.status == nil)
    #expect(SMTPReply(lines: ["550-one", "550-two", "550 three"])?.text == "one two three")
    #expect(SMTPReply(lines: ["250 fine", "550 not"])?.text == "not")
    #expect(SMTPReply(lines: ["250"])?.code == 250)
  }

  @Test("A malformed reply is refused", arguments: ["", "hello", "55", "5x0 a", "٥٥٠ a"])
  func none(line: String) {
    #expect(SMTPReply(lines: [line]) == nil)
  }

  @Test("Passwords on the line are not kept, and replies are those to the last command")
  func dialogue() {
    var dialogue = SMTPDialogue()
    dialogue.received(Array("220 hi\r\n".utf8))
    dialogue.sent(Array("AUTH PLAIN c2VjcmV0\r\n".utf8))
    #expect(dialogue.command == nil)
    dialogue.sent(Array("MAIL FROM:<a@b.c>\r\n".utf8))
    #expect(dialogue.reply == nil)
    dialogue.received(Array("250 OK\r\n".utf8))
    dialogue.sent(Array("RCPT TO:<d@e.f>\r\n".utf8))
    dialogue.received(Array("550-5.1.1 no\r\n".utf8))
    dialogue.received(Array("550 5.1.1 body\r\n".utf8))
    dialogue.sent(Array("QUIT\r\n".utf8))
    dialogue.received(Array("221 bye\r\n".utf8))
    #expect(dialogue.command == .recipient)
    #expect(dialogue.reply?.text == "5.1.1 no 5.1.1 body")
  }
}
