import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

/// A field accepted by a route: sends a value in it and keeps the other fields.
struct RouteField {
  let route: String
  let name: String
  /// Whether the field may have several lines.
  var isLong = false
  let send: (String) -> TestResponse
}

/// Every field of every form and call, from the markup of the pages, the OpenAPI document and the
/// route table.
struct InputTable {
  let fixture: AccessTableTests.Fixture
  let router: Router
  private(set) var forms: [RouteField] = []
  private(set) var json: [RouteField] = []

  /// Fields of forms that need the link of a mail or a state that the test data lacks. Every route
  /// that changes something is here, on a page, or in the document.
  private static let byHand: [String: [String]] = [
    "/admin/couples/:id": ["decision", "reply", "note", "until", "version"],
    "/admin/reports/:id/decisions/:decision_id/undo": ["next"],
    "/settings/reports/:id/undo": ["next"],
    "/checkin/contacts/:id/channels": ["button", "offer", "recipient", "channel", "code"],
    "/checkin/contacts/:id/undo": ["next"],
    "/admin/vouchers/:id/end": ["next"], "/couples/:id/unfollow": ["next"],
    "/groups/:id/members/:user_id/allow": ["next"],
    "/groups/:id/waypoints/:waypoint_id": ["button"],
    "/notifications/remove": ["notice"],
    "/join": ["code", "display_name", "next"], "/merge": ["take", "next"],
    "/messages/:id": ["descriptions"],
    "/messages/:id/:message/report": ["reason", "note", "block", "next"],
    "/moments/:id/:moment/answer": ["client_id", "text"],
    "/moments/:id/:moment/keep": ["next"],
    "/moments/:id/:moment/report": ["reason", "note", "block", "next"],
    "/messages/:id/accept": ["next"], "/messages/:id/decline": ["next"],
    "/messages/:id/withdraw": ["next"],
    "/pair/accept": ["token", "password", "display_name", "accept"],
    "/posts/:id/like": ["next"], "/posts/:id/restore": ["next"], "/posts/:id/narrow": ["next"],
    "/posts/:id/save": ["next"], "/posts/:id/unsave": ["next"],
    "/album/:id/restore": ["next"], "/album/:id/erase": ["next"], "/comments/:id/delete": ["next"],
    "/comments/:id/restore": ["next"], "/album/selected": ["photo", "action", "tab", "q"],
    "/posts/:id/unlike": ["next"],
    "/register/complete": ["token", "password", "display_name", "credential"],
    "/register/waiting": ["partner_email", "email"], "/reset/confirm": ["token", "password"],
    "/restore": ["next"], "/settings/blocks": ["couple_id"],
    "/settings/confirm": ["action", "next", "code", "mail_code"],
    "/settings/decisions/:id/appeal": ["words"],
    "/settings/devices": ["code", "mail_code", "current_password", "recovery_code", "next"],
    "/settings/email/confirm": ["token"], "/settings/email/undo": ["token"],
    "/settings/zone": ["time_zone", "button", "next"],
    "/settings/passkeys/:id": ["name", "remove", "current_password"],
    "/settings/passkeys/confirm": ["action", "next", "credential"],
    "/settings/passkeys/new": ["current_password", "name", "credential"],
    "/settings/second-factor/off": ["code", "current_password", "recovery_code"],
    "/settings/sign-in/:provider": ["current_password", "unlink"],
    "/sign-in/code": ["code", "next"], "/sign-in/guest": ["next"],
    "/sign-in/passkey": ["credential", "next"],
    "/sign-in/with/:provider/callback": ["code", "state", "iss", "error", "user"],
    "/sign-in/with/:provider/logout": ["logout_token"],
    "/sign-in/with/:provider/link": ["password", "code", "mail_code"],
    "/sign-in/with/:provider/register": [
      "display_name", "accept", "couple", "email_b", "couple_name", "anniversary",
    ],
    "/staff/enrol": ["token", "password", "display_name", "code", "accept"],
    "/timer/:token": ["next"], "/tap/:token": ["next"], "/workouts/:id/undo": ["next"],
    "/verify": ["token", "password", "display_name"],
  ]

  init() throws {
    fixture = try AccessTableTests.Fixture()
    router = fixture.instance.instance.application.router
    try prepare()
    try findForms()
    try findCalls()
  }

  private var author: TestClient { fixture.browsers[.author] ?? fixture.admin }

  /// Creates the state that some pages need.
  private func prepare() throws {
    fixture.browsers[.stranger]?.post("\(fixture.open)/report", ["reason": "spam"])
  }

  // MARK: Forms

  /// Browsers that collect forms, those with the most access first.
  private var browsers: [TestClient] {
    [author, fixture.admin]
      + [.partner, .guest, .stranger, .anonymous].compactMap {
        fixture.browsers[$0]
      }
  }

  private mutating func findForms() throws {
    var known: Set<String> = []
    let addresses = try AccessTableTests().rows(fixture).map(\.address)
    for browser in browsers {
      var visited: [String: Int] = [:]
      var queue = addresses
      while let address = queue.popLast() {
        guard let pattern = route(.get, address), !pattern.contains("/api/"),
          visited[pattern, default: 0] < 2
        else { continue }
        visited[pattern, default: 0] += 1
        let page = browser.get(address)
        queue += page.links
        for form in page.forms { add(form, browser, &known) }
      }
    }
    for (pattern, fields) in Self.byHand {
      let browser = pattern.hasPrefix("/admin") ? fixture.admin : author
      let path = filled(pattern)
      for field in fields where known.insert("\(pattern) \(field)").inserted {
        forms.append(
          RouteField(route: "POST \(pattern)", name: field) { value in
            browser.copy().upload(
              path, fields.map { ($0, $0 == field ? value : "a") }, files: [])
          })
      }
    }
  }

  private mutating func add(_ form: PageForm, _ browser: TestClient, _ known: inout Set<String>) {
    let path = form.action.isEmpty ? "/" : form.action
    guard let pattern = route(.post, path) else { return }
    for field in form.fields where known.insert("\(pattern) \(field.name)").inserted {
      let isLong = form.paragraphs.contains(field.name)
      forms.append(
        RouteField(route: "POST \(pattern)", name: field.name, isLong: isLong) { value in
          // A copy of the browser, so that a sent form changes no cookies of the others.
          browser.copy().upload(path, form.with(field.name, value), files: [])
        })
    }
  }

  private func route(_ method: HTTPRequest.Method, _ address: String) -> String? {
    let path = String(address.prefix { $0 != "?" })
    guard case .found(let route, _) = router.match(method, path) else { return nil }
    return route.pattern
  }

  /// Routes of pages whose fields are not in the table.
  var missing: Set<String> {
    let pages = fixture.instance.instance.routes.filter {
      $0.operation == nil && $0.method == .post && !$0.options.contains(.rawBody)
    }
    return Set(pages.map { "POST \($0.pattern)" }).subtracting(forms.map(\.route))
  }

  // MARK: Calls

  /// Placeholder for a value to be sent.
  private static let mark = "@@value@@"

  /// Values of path parameters, by the preceding path segment.
  private var identifiers: [String: String] {
    [
      "posts": String(fixture.open.suffix(36)), "couples": String(fixture.couple.suffix(36)),
      "photos": String(fixture.own.suffix(36)), "groups": String(fixture.group.page.suffix(36)),
      "members": fixture.follower, "sessions": String(fixture.workout.suffix(36)),
      "contacts": String(fixture.ownContact.suffix(36)),
      "notifications": author.noticeIDs().first ?? "",
    ]
  }

  /// A URL with all parameters filled: known ones, else the given value.
  func filled(_ pattern: String, with value: String? = nil, at place: Int? = nil) -> String {
    let known = identifiers
    let parts = pattern.split(separator: "/")
    return "/"
      + parts.enumerated().map { number, part in
        guard part.hasPrefix(":") || part.hasPrefix("{") else { return String(part) }
        if let value, number == place { return TestClient.encoded(value) }
        let before = number > 0 ? String(parts[number - 1]) : ""
        return known[before] ?? "01999999-9999-7999-8999-999999999999"
      }.joined(separator: "/")
  }

  private mutating func findCalls() throws {
    let document = fixture.instance.browser().call(.get, "/openapi.json").json
    let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
    for (path, calls) in paths.sorted(by: { $0.key < $1.key }) {
      for (method, call) in calls.sorted(by: { $0.key < $1.key }) {
        let verb = try #require(HTTPRequest.Method(rawValue: method.uppercased()))
        let (author, address) = (author, filled(path))
        let name = "\(verb.rawValue) /api/v1\(path)"
        for parameter in call["parameters"] as? [[String: Any]] ?? []
        where parameter["in"] as? String == "query" {
          let field = try #require(parameter["name"] as? String)
          json.append(
            RouteField(route: name, name: "?\(field)") { value in
              author.call(verb, "\(address)?\(field)=\(TestClient.encoded(value))")
            })
        }
        let content = (call["requestBody"] as? [String: Any])?["content"] as? [String: Any] ?? [:]
        for (type, body) in content {
          if type == "application/json" {
            addBody(try #require((body as? [String: Any])?["example"]), name, verb, address)
          } else {
            let schema = (body as? [String: Any])?["schema"] as? [String: Any]
            let properties = try #require(schema?["properties"] as? [String: Any])
            for field in properties.keys.sorted() {
              json.append(
                RouteField(route: name, name: field, isLong: true) { value in
                  author.send(address, method: verb, [(field, value)])
                })
            }
          }
        }
      }
    }
  }

  /// Each value of an example, at any depth.
  private mutating func addBody(
    _ example: Any, _ name: String, _ verb: HTTPRequest.Method, _ address: String
  ) {
    let author = author
    for (path, body) in Self.marked(example) {
      guard let bytes = try? JSONSerialization.data(withJSONObject: body) else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      json.append(
        RouteField(route: name, name: path) { value in
          author.copy().call(verb, address, text.replacing("\"\(Self.mark)\"", with: value))
        })
    }
  }

  /// The example with each of its values in turn replaced by the placeholder, by path.
  private static func marked(_ value: Any) -> [(path: String, value: Any)] {
    switch value {
    case let object as [String: Any]:
      object.sorted { $0.key < $1.key }.flatMap { name, inner in
        marked(inner).map { path, changed in
          ("\(name).\(path)", object.merging([name: changed]) { $1 })
        }
      }
    case let list as [Any]:
      list.prefix(2).enumerated().flatMap { place, inner in
        marked(inner).map { path, changed in
          var copy = list
          copy[place] = changed
          return ("\(place).\(path)", copy)
        }
      }
    default: [("", mark)]
    }
  }

  /// A text as a JSON string.
  static func quoted(_ text: String) -> String {
    String(decoding: JSON.text(text).bytes, as: UTF8.self)
  }
}
