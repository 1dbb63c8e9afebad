import Testing

@testable import App

@Suite("Style sheets are made smaller, not different")
struct StyleSheetTests {
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
    #expect(StyleSheet.compact(css) == small)
  }
}
