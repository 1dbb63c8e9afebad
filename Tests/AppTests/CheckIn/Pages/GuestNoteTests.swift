import Testing

@testable import App

@Suite("The check-in page tells new guests how they keep their data")
struct GuestNoteTests {
  @Test("A note on the first days, a line afterwards, and nothing for members")
  func days() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test")
    for _ in 1...3 {
      let page = gia.get("/checkin")
      #expect(page.shows("data-testid=\"guest-note\""))
      #expect(page.shows("href=\"/become-a-member\""))
      #expect(page.shows("href=\"/settings/recovery-code\""))
      #expect(!page.shows("To use this on another device"))
      instance.clock.advance(seconds: 86_400)
      gia.tap()
    }
    let later = gia.get("/checkin")
    #expect(!later.shows("data-testid=\"guest-note\""))
    #expect(later.shows("To use this on another device"))
    let member = try instance.checkedInMember().get("/checkin")
    #expect(!member.shows("data-testid=\"guest-note\""))
    #expect(!member.shows("To use this on another device"))
  }
}
