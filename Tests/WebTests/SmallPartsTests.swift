import HTTPTypes
import Testing

@testable import Web

@Suite("Cookies")
struct CookiesTests {
  private let plain = Cookies.Style(secure: false, port: 8080)
  private let secure = Cookies.Style(secure: true, port: 443)

  @Test("Over http the name ends in the port, over https it has the prefix of its host")
  func names() {
    #expect(plain.name("session") == "session_8080")
    #expect(secure.name("session") == "__Host-session")
  }

  @Test(
    "A value is found by its whole name",
    arguments: [
      ("session_8080=a", "a"), ("x=1; session_8080=a; y=2", "a"), ("x=1;session_8080=a", "a"),
      ("session_8080=a=b", "a=b"), ("session_8080=", ""), ("session_80801=a", nil),
      ("xsession_8080=a", nil), ("session_8080", nil), ("", nil),
    ] as [(String, String?)])
  func finding(header: String, value: String?) {
    #expect(Cookies(header: header, style: plain)["session"] == value)
  }

  @Test("Under https a cookie is Secure, and scripts read only cookies for scripts")
  func setting() {
    let cookie = Cookies.set("session", "a", maxAge: 5, style: secure)
    #expect(cookie == "__Host-session=a; Path=/; Max-Age=5; SameSite=Lax; HttpOnly; Secure")
    #expect(!Cookies.set("tz", "a", maxAge: 5, style: plain, forScripts: true).contains("HttpOnly"))
    #expect(!Cookies.set("tz", "a", maxAge: 5, style: plain).contains("Secure"))
  }
}

@Suite("The table of routes")
struct RouterTests {
  private let router = Router(
    ["/", "/posts/:id", "/posts/:id.csv", "/posts/new", "/posts/:id/edit"].map {
      Route(.get, $0, .anyone) { _ in Response(.ok) }
    } + [Route(.post, "/posts/new", .anyone) { _ in Response(.ok) }])

  private func found(_ path: String, _ method: HTTPRequest.Method = .get) -> String {
    switch router.match(method, path) {
    case .found(let route, let parameters): "\(route.name) \(parameters["id"] ?? "-")"
    case .otherMethods(let methods): "other: \(methods.map(\.rawValue).joined(separator: " "))"
    case .nothing: "nothing"
    }
  }

  @Test(
    "An address leads to its route, fixed words before parameters",
    arguments: [
      ("/", "GET / -"), ("/posts/7", "GET /posts/:id 7"), ("/posts/new", "GET /posts/new -"),
      ("/posts/7/edit", "GET /posts/:id/edit 7"), ("/posts/a%2Fb", "GET /posts/:id a/b"),
      ("/posts/7.csv", "GET /posts/:id.csv 7"), ("/posts/7.txt", "GET /posts/:id 7.txt"),
      ("/posts/.csv", "GET /posts/:id .csv"), ("/posts/7.csv/edit", "nothing"),
      ("/posts/", "nothing"), ("/posts", "nothing"), ("/posts/7/", "nothing"),
      ("//posts/7", "nothing"), ("posts/7", "nothing"), ("", "nothing"), ("/posts/%zz", "nothing"),
    ])
  func matching(path: String, expected: String) {
    #expect(found(path) == expected)
  }

  @Test("HEAD is answered by GET; other methods are named")
  func methods() {
    #expect(found("/posts/7", .head) == "GET /posts/:id 7")
    #expect(found("/posts/new", .delete) == "other: GET POST")
    #expect(found("/nothing", .delete) == "nothing")
  }
}

@Suite("Small parts")
struct SmallPartsTests {
  @Test(
    "Only a relative path of this site is followed",
    arguments: [
      ("/", true), ("/posts/1?a=b#c", true), ("//evil.test", false), ("/\\evil.test", false),
      ("https://evil.test", false), ("", false), ("posts", false), ("/a b", false),
      ("/a\u{0}", false), ("/a\n", false), ("/字", false), (" /", false),
    ])
  func safePath(path: String, isSafe: Bool) {
    #expect(Context.safePath(path) == (isSafe ? path : nil))
  }

  @Test("A path of more than 2,000 bytes leads nowhere")
  func longPath() {
    #expect(Context.safePath("/" + String(repeating: "a", count: 1999)) != nil)
    #expect(Context.safePath("/" + String(repeating: "a", count: 2000)) == nil)
  }

  @Test("JSON texts are escaped as RFC 8259 says")
  func json() {
    #expect(
      JSONStringWriter.quoted("a\"\\\n\r\t\u{1}\u{2028}字")
        == "\"a\\\"\\\\\\n\\r\\t\\u0001\\u2028字\"")
  }

  @Test(
    "A query's first value counts, a malformed query has none",
    arguments: [
      ("/a?x=1&x=2", "1"), ("/a?x=a+b%20c", "a b c"), ("/a?y=1", nil), ("/a", nil), ("/a?x", ""),
      ("/a?x=%E5%AD%97", "字"),
    ] as [(String, String?)])
  func query(target: String, value: String?) {
    #expect(Request(method: .get, target: target, id: "r").queryValue("x") == value)
  }

  @Test("A body in memory is read to its end in pieces")
  func body() throws {
    let body = BytesBody(Array(0..<10))
    var read: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4)
    while true {
      let count = try piece.withUnsafeMutableBytes { try body.read(into: $0) }
      if count == 0 { break }
      read += piece.prefix(count)
    }
    #expect(read == Array(0..<10))
  }
}
