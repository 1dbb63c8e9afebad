import Core
import Foundation
import Testing
import Web

@testable import App
@testable import Groups

/// A group in a test, identified by the URL of its page.
struct TestGroup {
  let page: String

  var id: String { String(page.suffix(36)) }
  var call: String { "/groups/\(id)" }
  var invite: String { "\(page)/invite" }
}

extension TestClient {
  /// Creates a group led by this user.
  func makeGroup(_ name: String = "Harvest Walk") throws -> TestGroup {
    let answer = post("/groups", ["name": name])
    let invite = try #require(answer.location, "\(answer.status)")
    try #require(invite.hasSuffix("/invite"))
    return TestGroup(page: String(invite.dropLast("/invite".count)))
  }

  /// The code of a group, as its page shows it.
  func code(of group: TestGroup) throws -> String {
    let page = get(group.invite).text
    let shown = page.firstMatch(of: /data-testid="invite-code"[^>]*>([A-Z2-9]{3} [A-Z2-9]{3})</)
    return try #require(shown.map { String($0.output.1) })
  }

  /// The link on a group's invitation page, without the host.
  func link(of group: TestGroup) throws -> String {
    let found = get(group.invite).text
      .firstMatch(of: /http:\/\/127\.0\.0\.1:8099(\/join\?code=[^"<]+)/)
    return try #require(found.map { String($0.output.1) }).replacing("&amp;", with: "&")
  }

  /// Joins with a code; users without an account give a name.
  @discardableResult
  func join(_ code: String, as name: String? = nil) -> TestResponse {
    get("/join")
    var fields = [("code", code)]
    if let name { fields.append(("display_name", name)) }
    return post("/join", all: fields)
  }

  @discardableResult
  func group(_ group: TestGroup, since: Int? = nil) -> TestResponse {
    call(.get, group.call + (since.map { "?since=\($0)" } ?? ""))
  }

  /// Shares a location with a group.
  @discardableResult
  func share(
    _ latitude: Double, _ longitude: Double, with group: TestGroup, at: String? = nil
  ) -> TestResponse {
    call(.put, "\(group.call)/sharing", #"{"on":true}"#)
    return put(latitude, longitude, in: group, at: at)
  }

  @discardableResult
  func put(
    _ latitude: Double, _ longitude: Double, in group: TestGroup, at: String? = nil
  ) -> TestResponse {
    let moment = at.map { #","at":"\#($0)""# } ?? ""
    return call(
      .put, "\(group.call)/location",
      #"{"latitude":\#(latitude),"longitude":\#(longitude),"accuracy":12\#(moment)}"#)
  }
}

extension TestResponse {
  var members: [[String: Any]] { json["members"] as? [[String: Any]] ?? [] }
  var version: Int { json["version"] as? Int ?? 0 }
  var events: [[String: Any]] { json["events"] as? [[String: Any]] ?? [] }
  var kinds: [String] { events.compactMap { $0["kind"] as? String } }

  /// A member by name.
  func member(_ name: String) -> [String: Any]? {
    members.first { $0["display_name"] as? String == name }
  }

  /// Location of a member; nil if not shared.
  func place(of name: String) -> [String: Any]? { member(name)?["location"] as? [String: Any] }

  func id(of name: String) -> String { member(name)?["user_id"] as? String ?? "" }
}

extension TestInstance {
  /// A leader with her group, and a follower.
  func exercise() throws -> (lea: TestClient, fay: TestClient, group: TestGroup) {
    for name in ["lea", "fay"] { try alone(name) }
    let (lea, fay) = (try signedIn("lea"), try signedIn("fay"))
    let group = try lea.makeGroup()
    try #require(fay.join(lea.code(of: group)).location == group.page)
    return (lea, fay, group)
  }
}
