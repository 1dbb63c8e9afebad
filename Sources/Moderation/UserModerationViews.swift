import Accounts
import Core
import Database
import HTTPTypes
import Templates
import Web

struct UserModerationListView: View {
  let kind: String
  let name: String
  let items: [UserModerationItemView]
  let isFull: Bool
  let title: String
  let lead: String

  static let fields: [String: Field<UserModerationListView>] = [
    "title": .text { $0.title },
    "lead": .text { $0.lead },
    "action": .text {
      $0.kind == "people" ? ModerationLinks.people : ModerationLinks.couples
    },
    "name": .text { $0.name },
    "items": .list { $0.items },
    "empty": .flag { $0.items.isEmpty },
    "full": .flag { $0.isFull },
  ]
}

struct UserModerationItemView: View {
  let link: String
  let name: String
  let state: String

  static let fields: [String: Field<UserModerationItemView>] = [
    "link": .text { $0.link },
    "name": .text { $0.name },
    "state": .text { $0.state },
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
  let choices: [ChoiceView]
  let lengths: [ChoiceView]

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
        "note": .text { $0.entered["note"] },
        "action": .text { $0.action },
        "taken": .optionalText { $0.taken },
      ])
}
