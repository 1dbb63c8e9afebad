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
}
