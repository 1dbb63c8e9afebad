import Foundation
import HTTPClient
import Testing

@Suite("Asking other servers")
struct HTTPClientTests {
  private let server: EchoServer

  init() throws { server = try EchoServer.shared }

  private func failure(_ call: HTTPCall, _ client: HTTPClient = HTTPClient()) -> HTTPClientError? {
    do throws(HTTPClientError) {
      _ = try client.send(call)
      return nil
    } catch {
      return error
    }
  }

  private func echoed(_ call: HTTPCall) throws -> EchoServer.Echo {
    try JSONDecoder().decode(
      EchoServer.Echo.self, from: Data(try HTTPClient().send(call).body))
  }

  @Test("Method, address, headers and body arrive as they were given")
  func arrives() throws {
    let body = Array("{\"name\":\"梅 \\u0000\"}\r\n\0end".utf8)
    let echo = try echoed(
      HTTPCall(
        "POST", "\(server.url)/echo?a=b%20c",
        headers: [("Content-Type", "application/json"), ("X-Name", "梅")], body: body))
    #expect(echo.method == "POST" && echo.path == "/echo?a=b%20c")
    #expect(echo.headers["content-type"] == "application/json")
    #expect(Data(base64Encoded: echo.body).map(Array.init) == body)
    #expect(echo.headers["content-length"] == "\(body.count)")
    #expect(echo.headers["expect"] == nil && echo.headers["user-agent"] == "PairSpot")
  }

  @Test("A file is sent as it is, and one that is not there is an error")
  func file() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "sent-\(UUID())")
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    try Data(bytes).write(to: file)
    let echo = try echoed(HTTPCall("PUT", "\(server.url)/echo", file: file.path))
    #expect(echo.method == "PUT" && echo.headers["content-length"] == "\(bytes.count)")
    #expect(Data(base64Encoded: echo.body) == Data(bytes))
    try FileManager.default.removeItem(at: file)
    let gone = failure(HTTPCall("PUT", "\(server.url)/echo", file: file.path))
    #expect(gone == .unusable("libcurl refuses the request"))
  }

  @Test("A signed request signs the lines that are sent, and no others; connections are kept")
  func signature() throws {
    let client = HTTPClient(
      signature: AWSSignature(
        accessKey: "KEY", secretKey: "a:b/c", region: "here-1", service: "s3"),
      connections: HTTPConnections())
    let headers = [
      (name: "x-amz-content-sha256", value: "UNSIGNED-PAYLOAD"),
      (name: "x-amz-date", value: "20260302T000000Z"),
    ]
    for _ in 1...3 {
      let answer = try client.send(HTTPCall("GET", "\(server.url)/echo/a", headers: headers))
      #expect(answer.contentLength == answer.body.count)
      let echo = try JSONDecoder().decode(EchoServer.Echo.self, from: Data(answer.body))
      let sent = try #require(echo.headers["authorization"])
      #expect(sent.contains("Credential=KEY/20260302/here-1/s3/aws4_request,"))
      #expect(sent.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date,"))
      #expect(echo.headers["x-amz-date"] == "20260302T000000Z")
    }
  }

  @Test("A socket of the file system is asked instead of the host that the address names")
  func localSocket() throws {
    let client = HTTPClient(timeout: 5, socket: server.socket)
    let answer = try client.send(HTTPCall("POST", "http://nobody.invalid/echo", body: [65]))
    let echo = try JSONDecoder().decode(EchoServer.Echo.self, from: Data(answer.body))
    #expect(echo.method == "POST" && Data(base64Encoded: echo.body) == Data([65]))
    let nobody = HTTPClient(timeout: 5, socket: server.socket + "x")
    guard case .unreachable = failure(HTTPCall("GET", "\(server.url)/200"), nobody) else {
      Issue.record("somebody answered")
      return
    }
  }

  @Test("How long an answer is fresh is read from Cache-Control")
  func fresh() throws {
    let answer = try HTTPClient().send(HTTPCall("GET", "\(server.url)/cached/public,max-age=90"))
    #expect(answer.freshness == 90)
    #expect(try HTTPClient().send(HTTPCall("GET", "\(server.url)/200")).freshness == nil)
    for (value, seconds) in [
      ("public, Max-Age=\"5\"", 5), ("max-age=60, no-cache", 0), ("no-store", 0), ("max-age=", 0),
      ("max-age=-1", 0), ("max-age=99999999999999999999", .max), ("private", nil), ("", nil),
    ] as [(String, Int64?)] {
      let answer = HTTPAnswer(status: 200, body: [], cacheControl: value)
      #expect(answer.freshness == seconds, "\(value)")
    }
  }

  @Test("Only the given addresses are connected to, not those of the name")
  func pinned() throws {
    let port = try #require(URLComponents(string: server.url)?.port)
    let call = HTTPCall("GET", "http://push.invalid:\(port)/200")
    #expect(try HTTPClient(timeout: 5, addresses: ["127.0.0.1"]).send(call).status == 200)
    #expect(failure(call) != nil)
    // No server listens there, though the host name would resolve to the server.
    let here = HTTPCall("GET", "http://localhost:\(port)/200")
    #expect(failure(here, HTTPClient(timeout: 5, addresses: ["127.0.0.2"])) != nil)
  }

  @Test("A POST without a body says so, a GET has none", arguments: ["POST", "GET", "PUT"])
  func empty(method: String) throws {
    let echo = try echoed(HTTPCall(method, "\(server.url)/echo"))
    #expect(echo.method == method && echo.body == "")
  }

  @Test("A body of 3 MB goes out whole, and at once")
  func large() throws {
    let body = [UInt8](repeating: 65, count: 3_000_000)
    let client = HTTPClient(timeout: 20, bodyLimit: 10_000_000)
    let answer = try client.send(HTTPCall("PUT", "\(server.url)/echo", body: body))
    #expect(answer.body.count > 4_000_000)
  }

  @Test("Every status is an answer", arguments: [200, 204, 302, 401, 422, 500, 503])
  func statuses(status: Int) throws {
    #expect(try HTTPClient().send(HTTPCall("GET", "\(server.url)/\(status)")).status == status)
  }

  @Test("A redirect is not followed")
  func redirect() throws {
    let answer = try HTTPClient().send(HTTPCall("GET", "\(server.url)/302"))
    #expect(answer.status == 302 && !String(decoding: answer.body, as: UTF8.self).contains("{"))
  }

  @Test("An answer longer than the limit is refused, one as long is not")
  func limit() throws {
    let client = HTTPClient(bodyLimit: 1000)
    #expect(try client.send(HTTPCall("GET", "\(server.url)/bytes/1000")).body.count == 1000)
    for count in [1001, 5_000_000] {
      #expect(
        failure(HTTPCall("GET", "\(server.url)/bytes/\(count)"), client)
          == .tooLong(limit: 1000))
    }
    // An endless answer, ended by the limit.
    #expect(failure(HTTPCall("GET", "\(server.url)/endless"), client) == .tooLong(limit: 1000))
  }

  @Test("A server that answers late or disconnects has no answer", arguments: ["slow", "cut"])
  func late(path: String) {
    let found = failure(HTTPCall("GET", "\(server.url)/\(path)"), HTTPClient(timeout: 0.5))
    guard case .unreachable = found else {
      Issue.record("\(String(describing: found))")
      return
    }
  }

  @Test("A missing server is reported as unreachable")
  func nobody() {
    for url in ["http://127.0.0.1:1/", "http://no-such-host.invalid/"] {
      guard case .unreachable = failure(HTTPCall("GET", url)) else {
        Issue.record("\(url) answered")
        continue
      }
    }
  }

  @Test("A certificate without a trusted issuer is not trusted; a named one is")
  func certificates() throws {
    let call = HTTPCall("GET", "\(server.secureURL)/200")
    guard case .untrusted = failure(call) else {
      Issue.record("it was trusted")
      return
    }
    #expect(try HTTPClient(certificates: server.certificate).send(call).status == 200)
    let wrongName = HTTPCall("GET", "https://localhost:\(server.securePort)/200")
    guard case .untrusted = failure(wrongName, HTTPClient(certificates: server.certificate)) else {
      Issue.record("another name was trusted")
      return
    }
  }

  @Test(
    "A malformed request is never sent",
    arguments: [
      HTTPCall("GET", "file:///etc/passwd"), HTTPCall("GET", "ftp://127.0.0.1/"),
      HTTPCall("GET", "gopher://127.0.0.1:25/_x"), HTTPCall("GET", "127.0.0.1/"),
      HTTPCall("GET", ""), HTTPCall("GET", "http://127.0.0.1/a b"),
      HTTPCall("GET", "http://127.0.0.1/\r\nX: y"), HTTPCall("get", "http://127.0.0.1/"),
      HTTPCall("GET / HTTP/1.1\r\nX:", "http://127.0.0.1/"), HTTPCall("", "http://127.0.0.1/"),
      HTTPCall("GET", "http://127.0.0.1/", headers: [("X", "a\r\nY: b")]),
      HTTPCall("GET", "http://127.0.0.1/", headers: [("X\r\nY", "b")]),
      HTTPCall("GET", "http://127.0.0.1/", headers: [("X:", "b")]),
      HTTPCall("GET", "http://127.0.0.1/", headers: [("", "b")]),
      HTTPCall("GET", "http://127.0.0.1/", headers: [("X", "a\0b")]),
    ])
  func unusable(call: HTTPCall) {
    guard case .unusable = failure(call) else {
      Issue.record("it was sent: \(call)")
      return
    }
  }
}
