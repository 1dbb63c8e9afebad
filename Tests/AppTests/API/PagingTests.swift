import Testing

@testable import App

@Suite("Paging")
struct PagingTests {
  private func words(_ page: TestResponse) -> [String] {
    page.text.components(separatedBy: "<div class=\"post-text\">").dropFirst().map { part in
      String(part.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" })
    }
  }

  private func older(_ page: TestResponse) -> String? {
    page.text.components(separatedBy: "data-older><a class=\"button button-outline\" href=\"")
      .dropFirst().first.map {
        String($0.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
      }
  }

  @Test("Page by page nothing repeats or is skipped while new posts pour in")
  func pouring() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple)
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    for number in 0..<45 {
      // Several within one millisecond, to be ordered by identifier.
      if number % 3 == 0 { instance.clock.advance(seconds: 1) }
      try ann.write("W\(number)", visibility: number % 5 == 0 ? "couple" : "public")
    }
    for start in ["/", "/couples/\(couple.id)"] {
      var (found, next, pages): ([String], String?, Int) = ([], start, 0)
      while let target = next {
        let page = ann.get(target)
        found += words(page)
        next = older(page)
        pages += 1
        instance.clock.advance(seconds: 1)
        try ben.write("New\(pages)")
      }
      let old = found.filter { $0.hasPrefix("W") }
      #expect(pages == 3)
      #expect(Set(found).count == found.count)
      #expect(old.count == 45)
      // Newest first; the order within one millisecond is not specified.
      #expect(old.map { (Int($0.dropFirst()) ?? 0) / 3 } == (0..<45).reversed().map { $0 / 3 })
    }
  }

  @Test("A cursor that is none shows the first page")
  func oddCursors() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    try ann.write("W1")
    for cursor in ["", "x", "1-x", "-1", "99999999999999999999-x", "%00"] {
      #expect(words(ann.get("/?after=\(cursor)")) == ["W1"], "\(cursor)")
    }
  }
}
