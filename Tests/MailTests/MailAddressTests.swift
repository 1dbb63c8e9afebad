import Testing

@testable import Mail

@Suite("Addresses")
struct MailAddressTests {
  private static func problem(_ entered: String) -> MailAddressError? {
    do {
      _ = try MailAddress(entered)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "An ordinary address is accepted as it is",
    arguments: [
      "mei@example.test", "a@b.cd", "first.last+tag@sub.example.org", "o'hara@example.ie",
      "x_y-z@1and1.example", "user@xn--fiqs8s.example",
    ])
  func ordinary(entered: String) throws {
    #expect(try MailAddress(entered).description == entered)
  }

  @Test("The domain is lower-cased, the local part kept, the normalised form lower-cased whole")
  func letterCase() throws {
    let address = try MailAddress("Mei.Lin@Example.TEST")
    #expect(address.description == "Mei.Lin@example.test")
    #expect(address.normalised == "mei.lin@example.test")
  }

  @Test(
    "Characters added by an input method or a sentence are removed",
    arguments: [
      "  mei@example.test\n", "mei＠example．test", "ｍｅｉ@example.test", "mei@example。test",
      "mei@example.test.",
    ])
  func forgiven(entered: String) throws {
    #expect(try MailAddress(entered).description == "mei@example.test")
  }

  @Test(
    "An internationalised domain becomes punycode",
    arguments: [
      ("a@bücher.example", "a@xn--bcher-kva.example"),
      ("a@BÜCHER.example", "a@xn--bcher-kva.example"),
      ("a@bu\u{308}cher.example", "a@xn--bcher-kva.example"),
      ("a@例子.测试", "a@xn--fsqu00a.xn--0zwm56d"),
      ("a@中文网。中国", "a@xn--fiq228c5hs.xn--fiqs8s"),
      ("a@пример.испытание", "a@xn--e1afmkfd.xn--80akhbyknj4f"),
      ("a@straße.example", "a@xn--strae-oqa.example"),
      ("a@paral·lel.example", "a@xn--parallel-koa.example"),
      ("a@क्\u{200D}ष.example", "a@xn--11b2ezcw70k.example"),
    ])
  func internationalised(entered: String, ascii: String) throws {
    #expect(try MailAddress(entered).description == ascii)
  }

  @Test(
    "Punycode follows the samples of RFC 3492, section 7.1",
    arguments: [
      ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
      ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
      ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
      ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
      ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
      ("そのスピードで", "d9juau41awczczp"),
    ])
  func punycode(label: String, code: String) {
    #expect(Punycode.encode(label) == code)
  }

  @Test("A comma instead of a dot is an error with the probable address")
  func comma() {
    #expect(
      Self.problem("joren@post,example")
        == .comma(after: "post", suggestion: "joren@post.example"))
    #expect(
      Self.problem("joren@post，example")
        == .comma(after: "post", suggestion: "joren@post.example"))
    #expect(Self.problem("joren@post,") == .comma(after: "post", suggestion: nil))
  }

  @Test("A space inside is named, with the address without it")
  func spaces() {
    #expect(
      Self.problem("joren @post. example") == .spaces(suggestion: "joren@post.example"))
    #expect(Self.problem("joren @") == .spaces(suggestion: nil))
  }

  @Test(
    "Each other mistake has its own problem",
    arguments: [
      ("", .empty), ("   ", .empty), ("joren.post.example", .missingAt),
      ("a@b.example, c@d.example", .severalAt), ("a@@b.example", .severalAt),
      ("@post.example", .missingLocalPart), ("joren@", .missingDomain),
      ("joren@.", .missingDomain), ("joren@post", .incompleteDomain),
      ("joren@localhost.", .incompleteDomain), ("joren@post..example", .domain),
      ("joren@-post.example", .domain), ("joren@post_.example", .domain),
      ("joren@[127.0.0.1]", .domain), ("joren@127.0.0.1", .domain),
      ("joren@po\u{200D}st.example", .domain), ("joren@❤️.example", .domain),
      ("joren@字\0.example", .domain), ("joren@字_.example", .domain),
      ("joren@ab--字.example", .domain), ("joren@אa.example", .domain),
      ("joren@-\u{308}字.example", .domain), ("joren@字\u{308}-.example", .domain),
      (".joren@post.example", .localPart), ("jo..ren@post.example", .localPart),
      ("\"jo\"@post.example", .characterInLocalPart("\"")),
      ("<joren@post.example", .characterInLocalPart("<")),
      ("mei,lin@post.example", .characterInLocalPart(",")),
      ("梅@post.example", .characterInLocalPart("梅")),
      ("jo\0ren@post.example", .characterInLocalPart("\0")),
    ] as [(String, MailAddressError)])
  func mistakes(entered: String, expected: MailAddressError) {
    #expect(Self.problem(entered) == expected)
  }

  @Test("A line break cannot hide inside an address")
  func lineBreak() {
    #expect(Self.problem("a@b.example\r\nBcc: c@d.example") == .severalAt)
    #expect(Self.problem("a@b.example\r\nX:y") == .spaces(suggestion: nil))
  }

  @Test("Of 254 bytes an address is accepted, of one more not")
  func length() {
    let label = String(repeating: "d", count: 59)
    let domain = [label, label, label].joined(separator: ".") + ".example"
    let local = String(repeating: "l", count: 64)
    #expect("\(local)@x.\(domain)".utf8.count == 254)
    #expect(Self.problem("\(local)@x.\(domain)") == nil)
    #expect(Self.problem("\(local)@xx.\(domain)") == .tooLong)
    #expect(Self.problem(local + "l@example.test") == .localPart)
    #expect(Self.problem("a@" + String(repeating: "d", count: 64) + ".test") == .domain)
    #expect(Self.problem("a@" + String(repeating: "网", count: 60) + ".test") == .domain)
    #expect(Self.problem(String(repeating: "a", count: 100_000)) == .tooLong)
  }
}
