import Foundation
import Testing

@testable import App

@Suite("Style sheets are made smaller, not different")
struct CSSMinifierTests {
  @Test(
    "White space and comments go where they separate nothing",
    arguments: [
      ("a {\n  color: red;\n}\n", "a{color:red}"),
      ("a, b > c { x: 1 }", "a,b>c{x:1}"),
      ("a /* why */ b{}", "a b{}"),
      ("/* one */a{}/* two */", "a{}"),
      ("a{width: calc(1px + 2px)}", "a{width:calc(1px + 2px)}"),
      ("a :hover{}", "a :hover{}"), ("a ~ b{c: d; }", "a~b{c:d}"),
      ("@media (a) and (b) {\n}", "@media (a) and (b){}"),
      (
        "a::after{content: \"a,  b /* c */ \\\" ;\";}",
        "a::after{content:\"a,  b /* c */ \\\" ;\"}"
      ),
      ("a{b: '", "a{b:'"),
      ("a{} /* never ends", "a{}"),
      ("", ""),
    ])
  func compacted(css: String, small: String) {
    #expect(CSSMinifier.compact(css) == small)
  }

  @Test(
    "No page loads more than 40 KB of styles, shared and own sheet (docs/developer/design.md)"
  )
  func budget() throws {
    let folder = TestInstance.checkout.appending(path: "public/css")
    func compacted(_ name: String) throws -> Int {
      let css = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      return CSSMinifier.compact(css).utf8.count
    }
    let order = try String(contentsOf: folder.appending(path: "order.txt"), encoding: .utf8)
    let shared = order.split(separator: "\n").map(String.init)
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".css") && !shared.contains($0) && $0 != "static.css" }
    let own = try #require(try pages.map(compacted).max())
    let all = try shared.map(compacted).reduce(0, +)
    #expect(all + own < 40_960, "shared \(all), the largest page's own \(own)")
  }
}
