import Core
import Foundation
import Templates
import Web

/// Query parameters of a list of users or couples.
struct UserListQuery {
  private static let limits = FieldLimits(characters: 254)

  /// Part of a name, or an e-mail address.
  let name: String
  /// The state that can be filtered.
  let filter: String
  let isFiltered: Bool
  /// The identifier after which the part begins.
  let before: String?

  init(_ request: Request, filter: String) {
    name = Self.limits.beginning(of: (request.queryValue("q") ?? "").asOneLine)
    self.filter = filter
    isFiltered = request.queryValue("state") == filter
    before = request.queryValue("before")
  }

  init(named name: String, filter: String) {
    self.name = Self.limits.beginning(of: name.asOneLine)
    self.filter = filter
    (isFiltered, before) = (false, nil)
  }

  /// Whether the text must not stand in a URL.
  var mayBeAddress: Bool { name.contains("@") }

  func link(_ path: String, before: String? = nil) -> String {
    let encoded = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let parts =
      (before.map { ["before=\($0)"] } ?? []) + (name.isEmpty ? [] : ["q=\(encoded)"])
    return parts.isEmpty ? path : "\(path)?\(parts.joined(separator: "&"))"
  }
}

struct UserModerationListView: View {
  let path: String
  /// Whether the search may be for an e-mail address, which must not stand in a URL.
  let isPosted: Bool
  let name: String
  let items: [UserModerationItemView]
  let filters: [FilterView]
  let older: String?
  let title: String
  let lead: String
  let label: String

  static let fields: [String: Field<UserModerationListView>] = [
    "title": .text { $0.title },
    "lead": .text { $0.lead },
    "label": .text { $0.label },
    "action": .text { $0.path },
    "posted": .flag { $0.isPosted },
    "name": .text { $0.name },
    "filters": .list { $0.filters },
    "items": .list { $0.items },
    "empty": .flag { $0.items.isEmpty },
    "older": .optionalText { $0.older },
  ]
}

struct UserModerationItemView: View {
  let link: String
  let name: String
  let state: String
  var dates = ""

  static let fields: [String: Field<UserModerationItemView>] = [
    "link": .text { $0.link },
    "name": .text { $0.name },
    "state": .text { $0.state },
    "dates": .text { $0.dates },
  ]
}

struct UserModerationView: FormContent {
  let kind: ReportTarget.Kind
  let name: String
  let state: String
  let people: [UserModerationItemView]
  let past: [PastDecisionView]
  let version: Int
  let couple: ID<Couple>?
  let roleLink: String?
  let isOwn: Bool
  let sessionsLink: String?
  let entered: FormFields
  let errors: [String: String]
  let taken: String?
  let action: String
  let choices: [DecisionChoiceView]
  let lengths: [ChoiceView]
  let replies: [ChoiceView]

  static let fields: [String: Field<UserModerationView>] =
    formFields(
      errors: ["decision", "until", "note"],
      [
        "name": .text { $0.name },
        "state": .text { $0.state },
        "people": .list { $0.people },
        "has_people": .flag { !$0.people.isEmpty },
        "past": .list { $0.past },
        "has_past": .flag { !$0.past.isEmpty },
        "back_link": .text {
          $0.kind == .person ? ModerationLinks.people : ModerationLinks.couples
        },
        "role_link": .optionalText { $0.roleLink },
        "is_own": .flag { $0.isOwn },
        "sessions_link": .optionalText { $0.sessionsLink },
        "couple_reports": .optionalText { $0.couple.map(ModerationLinks.reports) },
        "version": .integer { $0.version },
        "choices": .list { $0.choices },
        "lengths": .list { $0.lengths },
        "replies": .list { $0.replies },
        "note": .text { $0.entered["note"] },
        "action": .text { $0.action },
        "taken": .optionalText { $0.taken },
      ])
}
