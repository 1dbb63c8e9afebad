import Testing

@testable import Album

@Suite("Names of downloaded photos")
struct DownloadNameTests {
  @Test(
    "The finished file is called as the person's own was",
    arguments: [
      ("IMG_1.JPG", "IMG_1.jpg"), ("海 邊.final.jpeg", "海 邊.final.jpg"), ("", "photo.jpg"),
      (".jpg", "photo.jpg"), ("a\"b\r\n/c\\.png", "abc.jpg"), ("x\u{202E}gpj.exe", "xgpj.jpg"),
      (String(repeating: "字", count: 100), String(repeating: "字", count: 66) + ".jpg"),
    ])
  func names(original: String, name: String) {
    let download = DownloadName(original, .jpeg)
    #expect(download.name == name)
    #expect(download.header.unicodeScalars.allSatisfy { (" "..."~").contains($0) })
  }

  @Test("A name of a million flags is cut between two flags, without looking at all of them")
  func longName() throws {
    // Looked at anew for each of them, they would take days.
    let flags = String(repeating: "🇹🇼", count: 1_000_000)
    let name = DownloadName(flags + ".png", .png).name
    #expect(name == String(repeating: "🇹🇼", count: 25) + ".png")
    // The form that comes back has a short ticket.
    let instance = try TestInstance()
    defer { withExtendedLifetime(instance) {} }
    let browser = instance.browser()
    let ticket = try #require(browser.leaveAtStories().value(of: "kept"))
    let long = String(flags.prefix(300))
    let page = browser.post("/stories", ["kept": ticket, "file_name": long, "story": ""])
    #expect(page.status == 422)
    #expect(page.value(of: "file_name") == String(flags.prefix(125)))
  }
}
