import Core
import Database
import Foundation
import Testing

@testable import App

/// A URL to be visited, with its route.
struct CanaryAddress: Hashable {
  let pattern: String
  let path: String
  /// The viewer who has the link; nil for URLs that all viewers try.
  var holder: CanaryViewer?

  init(_ pattern: String, _ path: String, holder: CanaryViewer? = nil) {
    self.pattern = pattern
    self.path = path
    self.holder = holder
  }
}

extension CanaryWorld {
  /// Routes for developers, which are left out.
  private static let left: Set<String> = ["/dev/mail", "/dev/mail/:name"]

  /// Query strings that show more than the plain URL.
  private static let questions: [String: [String]] = [
    "/": ["scope=following"], "/search": ["q=kqa", "q=kqe", "q=kqn", "q=kqt"],
    "/api/v1/search": ["q=kqa&limit=100", "q=kqe", "q=kqt"],
    "/api/v1/posts": ["limit=100", "scope=following&limit=100", "scope=couple&limit=100"],
    "/settings/confirm": ["action=account_delete&next=/"],
    "/settings/passkeys/confirm": ["action=account_delete"], "/admin/users": ["q=kq"],
    "/admin/couples": ["q=kq"],
    "/admin/reports": ["state=hidden", "state=appealed"],
    "/messages/search": ["q=kq"], "/messages/:id/search": ["q=kq"],
    "/api/v1/conversations/search": ["q=kq"],
    "/api/v1/notifications": ["limit=100"], "/api/v1/sessions": ["limit=100"],
    "/api/v1/groups/:id": ["since=1"], "/api/v1/photos": ["limit=100"],
  ]

  /// Collects links known to some viewers only, and values for the path parameters.
  func gatherAddresses() throws {
    let ann = try browser(.ann)
    for person in [CanaryPerson.ann, .wes, .gia] {
      let page = try instance.contactPage(person.mark(.reach))
      addresses += [
        CanaryAddress("/c/:token", page, holder: .contact(of: person)),
        CanaryAddress("/c/:token/stop", "\(page)/stop", holder: .contact(of: person)),
      ]
    }
    addresses.append(
      CanaryAddress("/tap/:token", instance.tapPage(try id(.ann)), holder: .person(.ann)))
    addresses.append(
      CanaryAddress(
        "/timer/:token", instance.timerPage(try id(.ann)), holder: .person(.ann)))
    let calendar = try #require(
      ann.get("/settings/calendar").text
        .firstMatch(of: /(\/couples\/[0-9a-f-]{36}\/anniversary\.ics\?token=[\w-]{43})/))
    addresses.append(
      CanaryAddress(
        "/couples/:id/anniversary.ics", String(calendar.output.1), holder: .person(.ann)))
    let ticket = try #require(ann.leaveAtStories().value(of: "kept"))
    addresses.append(CanaryAddress("/stories/:ticket", "/stories/\(ticket)"))
    values["couples"] = try [CanaryPerson.ann, .eve].map(couple) + couplesOfOthers()
    values["users"] = identifiers.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { $0.value.description }
    values["photos"] = values["album"]
    values["sessions"] = values["workouts"]
    values["partner"] = values["workouts"]
    values["message_id"] = values["message"]
    values["language"] = ["en"]
    values["topic"] = ["account"]
    values["number"] = ["1"]
    values["provider"] = ["home"]
    values["contacts"] = ann.call(.get, "/checkin/contacts").list("contacts")
      .compactMap { $0["id"] as? String }
    values["people"] = values["contacts"]
    values["notifications"] = Array(ann.noticeIDs().prefix(3))
    var feed = try browser(.sam).get("/")
    while let older = feed.links.first(where: { $0.hasPrefix("/?after=") }) {
      addresses.append(CanaryAddress("/", older))
      feed = try browser(.sam).get(older)
    }
    addresses.append(CanaryAddress("/", "/"))
    let moe = try browser(.moe)
    values["reports"] = ["open", "hidden", "appealed"].flatMap { state in
      moe.get("/admin/reports?state=\(state)").cases.map { String($0.suffix(36)) }
    }
    let end = try instance.endOfVouchers(by: browser(.ora))
    values["vouchers"] = [String(end.dropLast("/end".count).suffix(36))]
    values["passkeys"] = try instance.database.read {
      try $0.rows("SELECT id FROM passkeys ORDER BY user_id = \(id(.ann)) DESC") {
        try $0.next(ID<Export>.self).description
      }
    }
    values["export"] = try instance.database.read {
      try $0.rows("SELECT id FROM exports WHERE user_id = \(id(.ann))") {
        try $0.next(ID<Export>.self).description
      }
    }
  }

  private enum Export {}

  private func couplesOfOthers() throws -> [String] {
    let known = try Set([couple(.ann), couple(.eve)])
    let all = try instance.database.read {
      try $0.rows("SELECT id FROM couples") { try $0.next(ID<Couple>.self).description }
    }
    return all.filter { !known.contains($0) }
  }

  /// Every URL of every GET route; routes without one are in `missing`.
  func allAddresses() -> (found: [CanaryAddress], missing: [String]) {
    var (found, missing) = ([CanaryAddress](), [String]())
    for route in instance.instance.routes where route.method == .get {
      let pattern = route.pattern
      if Self.left.contains(pattern) { continue }
      let known = addresses.filter { $0.pattern == pattern }
      let paths = known.isEmpty ? filled(pattern) : []
      if known.isEmpty && paths.isEmpty { missing.append(pattern) }
      found += known
      for path in paths {
        found.append(CanaryAddress(pattern, path))
        found += Self.questions[pattern, default: []].map {
          CanaryAddress(pattern, "\(path)?\($0)")
        }
      }
    }
    return (found, missing)
  }

  /// The pattern with all known values of its parameters. Pages below an item's own page are tried
  /// with the first values only, Ann's before others'.
  private func filled(_ pattern: String) -> [String] {
    var paths = [""]
    let parts = pattern.split(separator: "/").map(String.init)
    for (number, part) in parts.enumerated() {
      guard part.hasPrefix(":") else {
        paths = paths.map { "\($0)/\(part)" }
        continue
      }
      let name = part.dropFirst().prefix { $0.isLetter || $0 == "_" }
      let rest = part.dropFirst(name.count + 1)
      let before = number > 0 ? parts[number - 1] : ""
      let all = values[before] ?? values[String(name)] ?? []
      let isOwnPage = number == parts.count - 1 && rest.isEmpty
      let few = isOwnPage ? all : Array(all.prefix(before == "posts" ? 4 : 2))
      paths = paths.flatMap { path in few.map { "\(path)/\($0)\(rest)" } }
    }
    return paths
  }
}
