import Foundation
import Testing

@Suite("Style sheets stay small")
struct StyleSheetTests {
  @Test(
    """
    The shared sheets have less than 40 KB together, the sheet of a page less than 8 KB \
    (docs/developer/design.md)
    """
  )
  func budget() throws {
    let folder = TestInstance.checkout.appending(path: "public/css")
    func size(_ name: String) throws -> Int {
      try Data(contentsOf: folder.appending(path: name)).count
    }
    let order = try String(contentsOf: folder.appending(path: "order.txt"), encoding: .utf8)
    let shared = order.split(separator: "\n").map(String.init)
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".css") && !shared.contains($0) && $0 != "static.css" }
    let own = try #require(try pages.map(size).max())
    let all = try shared.map(size).reduce(0, +)
    #expect(all < 40_960 && own < 8192, "shared \(all), the largest page's own \(own)")
  }
}
