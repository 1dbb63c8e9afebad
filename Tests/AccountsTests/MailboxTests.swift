import Testing

@testable import Accounts

@Suite("Mailboxes behind addresses")
struct MailboxTests {
  @Test("A tag behind a plus sign makes no other mailbox")
  func tags() {
    #expect(RecipientLimits.mailbox("vic+1@example.test") == "vic@example.test")
    #expect(RecipientLimits.mailbox("vic+a+b@example.test") == "vic@example.test")
    #expect(RecipientLimits.mailbox("vic@exa+mple.test") == "vic@exa+mple.test")
    #expect(RecipientLimits.mailbox("+vic@example.test") == "+vic@example.test")
  }
}
