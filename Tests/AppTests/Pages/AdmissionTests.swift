import Films
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("Large bodies are asked about before they are taken")
struct AdmissionTests {
  /// Every path for which nginx accepts more than 1 MB, except the stories, which are public.
  static let addresses = [
    "/posts", "/posts/x/edit", "/moments", "/album", "/settings/profile", "/couples/x/edit",
    "/workouts/import", "/admin/trainings/x/video", "/admin/trainings/x/cover",
    "/admin/trainings/x/captions", "/api/v1/posts", "/api/v1/moments", "/api/v1/photos",
    "/api/v1/account",
  ]

  private func ask(
    _ instance: TestInstance, _ browser: TestClient, _ path: String, length: Int = 2 << 20,
    method: HTTPRequest.Method = .post
  ) -> Response {
    var headers: HTTPFields = [.host: TestInstance.host]
    headers[.cookie] = browser.cookie("session").map { "session_\(TestInstance.port)=\($0)" }
    return instance.instance.application.respond(
      to: Request(
        method: method, target: path, headers: headers, id: "r", contentLength: length,
        asksForAuthorization: true))
  }

  @Test("Without a sign-in the body is refused", arguments: addresses)
  func unknown(path: String) throws {
    let instance = try TestInstance()
    let answer = ask(instance, instance.browser(), path)
    #expect([401, 403].contains(answer.status.code), "\(path): \(answer.status)")
    #expect(answer.body.isEmpty)
  }

  @Test("Signed-out visitors are sent to sign in, and calls are 401")
  func whereTo() throws {
    let instance = try TestInstance()
    let page = ask(instance, instance.browser(), "/posts")
    #expect(page.headers[.location] == nil)
    #expect(page.headers[HTTPField.Name("X-Turned-To")!] == "/sign-in?next=/")
    let call = ask(instance, instance.browser(), "/api/v1/posts")
    #expect(call.status == .unauthorized)
    #expect(call.headers[HTTPField.Name("X-Turned-Status")!] == "401")
  }

  @Test("A member may send bodies up to their routes' limits, and a guest up to a guest's")
  func known() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, guest) = (try instance.signedIn("ann"), try instance.guest("Gia"))
    for path in ["/posts", "/album", "/workouts/import", "/api/v1/photos"] {
      #expect(ask(instance, ann, path).status == .noContent, "\(path)")
    }
    // A film over its limit is refused by the form, with its words kept.
    for path in ["/moments", "/api/v1/moments"] {
      #expect(ask(instance, ann, path, length: FilmLimits.filmBytes * 3 / 2).status == .noContent)
    }
    #expect(ask(instance, guest, "/album").status == .noContent)
    for path in ["/posts", "/api/v1/posts", "/couples/x/edit"] {
      #expect(ask(instance, guest, path).status == .forbidden, "\(path)")
    }
    #expect(ask(instance, ann, "/admin/trainings/x/video").status == .forbidden)
  }

  @Test("A body above the route's limit is 413, and an unknown path 404")
  func tooLarge() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let status = HTTPField.Name("X-Turned-Status")!
    #expect(ask(instance, ann, "/posts", length: 300 << 20).headers[status] == "413")
    #expect(ask(instance, ann, "/nothing").headers[status] == "404")
  }

  @Test("More than 100 header lines are 431")
  func headerLines() throws {
    let browser = try TestInstance().browser()
    // The host is one of them.
    for (count, status) in [(99, 200), (100, 431)] {
      var headers: HTTPFields = [:]
      for number in 1...count {
        headers.append(HTTPField(name: HTTPField.Name("X-\(number)")!, value: "x"))
      }
      #expect(browser.get("/sign-in", headers: headers).status == status)
    }
  }
}
