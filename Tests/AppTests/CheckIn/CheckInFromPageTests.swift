import HTTPTypes
import Testing
import Web

@testable import App

extension TestInstance {
  /// An instance in production mode.
  static func inProduction(log: Int32? = nil) throws -> TestInstance {
    try TestInstance(
      limits: true,
      variables: [
        "PAIRSPOT_ENV": "production", "PAIRSPOT_BASE_URL": "https://pairspot.example",
        "SMTP_HOST": "mail.example", "FROM_EMAIL": "us@pairspot.example",
      ], log: log)
  }
}

@Suite("Monitoring access to an instance in production")
struct CheckInFromPageTests {
  private static func status(
    _ path: String, host: String, peer: String = "127.0.0.1", through proxy: String? = nil,
    mark: String = "X-Forwarded-For", in instance: TestInstance
  ) throws -> Int {
    let browser = instance.browser()
    browser.peer = peer
    var headers: HTTPFields = [.host: host]
    headers[try #require(HTTPField.Name(mark))] = proxy
    return browser.get(path, headers: headers).status
  }

  @Test(
    "… asks by a loopback address, and is answered",
    arguments: ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "LOCALHOST", "127.0.0.1"])
  func loopback(host: String) throws {
    let instance = try TestInstance.inProduction()
    for peer in ["127.0.0.1", "::1"] {
      #expect(try Self.status("/metrics", host: host, peer: peer, in: instance) == 200)
      // No worker runs in a test.
      #expect(try Self.status("/healthz", host: host, peer: peer, in: instance) == 503)
    }
    #expect(try Self.status("/metrics", host: "pairspot.example", in: instance) == 200)
  }

  @Test("… and metrics are shown to no other client, under any host name")
  func others() throws {
    let instance = try TestInstance.inProduction()
    let own = "pairspot.example"
    let near = "127.0.0.1:8080"
    #expect(try Self.status("/metrics", host: own, through: "203.0.113.7", in: instance) == 404)
    #expect(try Self.status("/metrics", host: own, through: "127.0.0.1", in: instance) == 404)
    #expect(try Self.status("/metrics", host: own, peer: "203.0.113.7", in: instance) == 404)
    #expect(try Self.status("/metrics", host: near, through: "203.0.113.7", in: instance) == 421)
    #expect(try Self.status("/metrics", host: near, peer: "203.0.113.7", in: instance) == 421)
    for mark in ["X-Real-IP", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "Via"] {
      let words = "\(mark) of a proxy"
      #expect(
        try Self.status("/metrics", host: own, through: "x", mark: mark, in: instance) == 404,
        "\(words)")
      #expect(
        try Self.status("/metrics", host: near, through: "x", mark: mark, in: instance) == 421,
        "\(words)")
    }
    // The health check is public under our host name.
    #expect(try Self.status("/healthz", host: own, peer: "203.0.113.7", in: instance) == 503)
    #expect(try Self.status("/healthz", host: near, peer: "203.0.113.7", in: instance) == 421)
  }

  @Test(
    "Mail kept in a folder is shown on this machine only, with any proxy headers",
    arguments: ["X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"])
  func devMail(mark: String) throws {
    let instance = try TestInstance()
    let here = "127.0.0.1:\(TestInstance.port)"
    #expect(try Self.status("/dev/mail", host: here, in: instance) == 200)
    #expect(
      try Self.status("/dev/mail", host: here, through: "x", mark: mark, in: instance) == 404)
  }

  @Test(
    "Another name that leads to this machine shows nothing to a browser on it",
    arguments: ["evil.test:8080", "127.evil.test", "localhost.evil.test:8080", "127.0.0.1:x", ""])
  func rebound(host: String) throws {
    let instance = try TestInstance.inProduction()
    for path in ["/metrics", "/healthz"] {
      #expect(try Self.status(path, host: host, in: instance) == 421)
    }
  }

  @Test("All other addresses are asked by our own name alone")
  func otherRoutes() throws {
    let instance = try TestInstance.inProduction()
    let marked = instance.instance.routes.filter { $0.options.contains(.asOnThisMachine) }
    #expect(Set(marked.map(\.name)) == ["GET /healthz", "GET /metrics"])
    for path in ["/", "/sign-in", "/csrf", "/api/v1/openapi.json", "/metrics/", "/nothing"] {
      #expect(try Self.status(path, host: "127.0.0.1:8080", in: instance) == 421, "\(path)")
    }
    #expect(try Self.status("/sign-in", host: "pairspot.example", in: instance) == 200)
  }

  @Test("nginx hands on the name and the proxy that a request came with")
  func nginx() throws {
    let path = TestInstance.checkout.appending(path: "deploy/nginx/pairspot.conf.template").path
    let template = try String(contentsOfFile: path, encoding: .utf8)
    // Client headers reach the handlers unless nginx overrides them.
    for name in ["HTTP_HOST", "HTTP_X_FORWARDED_FOR"] {
      #expect(!template.contains(name))
    }
    #expect(template.contains("fastcgi_param REMOTE_ADDR $realip_remote_addr;"))
  }
}
