import HTTPClient
import Testing

@testable import App

@Suite("pairspot healthcheck")
struct HealthQueryTests {
  private func answer(_ status: Int, _ body: String) -> Result<HTTPAnswer, HTTPClientError> {
    .success(HTTPAnswer(status: status, body: Array(body.utf8)))
  }

  @Test("An instance that is well")
  func well() {
    let answer = answer(200, #"{"ok":true,"problems":{}}"#)
    #expect(HealthQuery.problem(of: answer) == nil && HealthQuery.silence(of: answer) == nil)
  }

  @Test("A mail outage is a problem, but no reason for a restart")
  func mail() {
    let answer = answer(503, #"{"ok":false,"problems":{"mail":"away"}}"#)
    #expect(
      HealthQuery.problem(of: answer)
        == #"/healthz answered 503: {"ok":false,"problems":{"mail":"away"}}"#)
    #expect(HealthQuery.silence(of: answer) == nil)
  }

  @Test("nginx without handlers", arguments: [(502, "<!doctype html>"), (503, "{\"status\":503}")])
  func nginxAlone(status: Int, body: String) {
    let answer = answer(status, body)
    #expect(HealthQuery.problem(of: answer) == "/healthz answered \(status)")
    #expect(HealthQuery.silence(of: answer) == "/healthz answered \(status)")
  }

  @Test("No answer, and a certificate that has ended")
  func none() {
    let (away, ended) = (HTTPClientError.unreachable("refused"), HTTPClientError.untrusted("ended"))
    #expect(HealthQuery.problem(of: .failure(away)) == "refused")
    #expect(HealthQuery.silence(of: .failure(away)) == "refused")
    #expect(HealthQuery.problem(of: .failure(ended)) == "ended")
    #expect(HealthQuery.silence(of: .failure(ended)) == nil)
  }

  @Test(
    "It asks at an address of loopback, if the instance listens there",
    arguments: [
      (["127.0.0.1", "::1"], "127.0.0.1"), (["0.0.0.0", "::"], "127.0.0.1"), (["::"], "::1"),
      (["192.0.2.1", "::1"], "::1"), (["192.0.2.1"], "192.0.2.1"),
    ])
  func address(listening: [String], asked: String) {
    let addresses = listening.compactMap { ListenAddress(text: $0) }
    #expect(HealthQuery.address(of: addresses)?.text == asked)
  }
}
