import Accounts
import Basics
import Database
import HTTPTypes
import Templates
import Web

/// `/admin/users` and `/admin/couples`: find, see how they stand, suspend, lift. Names and states
/// alone: no address, contact or place.
struct StandingPages {
  private let services: ModerationServices
  private let list: Template<StandingListView>
  private let one: Template<StandingView>

  init(_ services: ModerationServices) throws {
    self.services = services
    list = try services.site.templates.template("staff/standings")
    one = try services.site.templates.template("staff/standing")
  }

  // MARK: Lists

  @Sendable func showPeople(_ request: Request, _ context: Context) throws -> Response {
    let name = (request.queryValue("q") ?? "").asOneLine
    let words = StandingWords(context: context)
    let people = try services.site.database.read {
      try services.standings.people(named: name, now: context.now, in: $0)
    }
    return show(
      "people", name,
      people.map {
        StandingItemView(
          link: ModerationLinks.person($0.id), name: $0.name, state: words.state(of: $0))
      }, context)
  }

  @Sendable func showCouples(_ request: Request, _ context: Context) throws -> Response {
    let name = (request.queryValue("q") ?? "").asOneLine
    let words = StandingWords(context: context)
    let couples = try services.site.database.read {
      try services.standings.couples(named: name, in: $0)
    }
    return show(
      "couples", name,
      couples.map {
        StandingItemView(
          link: ModerationLinks.couple($0.id), name: $0.name, state: words.state(of: $0))
      }, context)
  }

  private func show(
    _ kind: String, _ name: String, _ items: [StandingItemView], _ context: Context
  ) -> Response {
    let view = StandingListView(
      page: PageView(context, title: "admin.\(kind)"), kind: kind, name: name, items: items,
      isFull: items.count == Standings.listed,
      title: context.text("admin.\(kind)"), lead: context.text("admin.\(kind).lead"))
    return .html(list.render(view, in: context.language))
  }

  // MARK: One

  private struct Found {
    let thing: Thing
    let name: String
    let state: String
    let couple: ID<Couple>?
    let author: ID<Person>?
    let people: [PersonStanding]
    let isStaff: Bool
    let before: Case?
    let decisions: [PastDecision]
    /// Whether the viewer is concerned, so that others decide.
    let isOwn: Bool
    /// Where their role is changed; nil for who can have none.
    let roleLink: String?
    /// Where their sessions are ended; nil for the viewer's own.
    var sessionsLink: String?
  }

  private func person(_ context: Context) throws -> Found {
    let id = try context.id("id", Person.self)
    let words = StandingWords(context: context)
    return try services.site.database.read { reader in
      guard let person = try services.standings.person(id, now: context.now, in: reader) else {
        throw Problem.notFound
      }
      let before = try services.cases.find(.person(id), in: reader)
      return Found(
        thing: .person(id), name: person.name, state: words.state(of: person),
        couple: person.couple, author: id, people: [], isStaff: person.role > .member,
        before: before,
        decisions: try decisions(of: person, before, in: reader),
        isOwn: try services.isOwn(
          .person(id), couple: person.couple, author: id, of: context.signedIn().id, in: reader),
        roleLink: person.role > .guest && id != context.viewer?.id
          ? AccountLinks.adminRole(id) : nil,
        sessionsLink: id != context.viewer?.id ? AccountLinks.adminSessions(id) : nil)
    }
  }

  /// What was decided of a person themselves, and of what is the couple's that they are in: that
  /// may be why they are suspended.
  private func decisions(
    of person: PersonStanding, _ own: Case?, in reader: Reader
  ) throws -> [PastDecision] {
    let couples = try person.couple.map {
      try services.cases.decisions(of: $0, limit: 50, in: reader)
    }
    let others = couples?.filter { $0.caseID != own?.id } ?? []
    let ownOnes = try own.map { try services.cases.decisions(of: $0.id, in: reader) } ?? []
    return (ownOnes + others).sorted { $0.at > $1.at }
  }

  private func couple(_ context: Context) throws -> Found {
    let id = try context.id("id", Couple.self)
    let words = StandingWords(context: context)
    return try services.site.database.read { reader in
      guard let couple = try services.standings.couple(id, in: reader) else {
        throw Problem.notFound
      }
      let people = try services.standings.people(of: id, now: context.now, in: reader)
      return Found(
        thing: .couple(id), name: couple.name, state: words.state(of: couple), couple: id,
        author: nil, people: people, isStaff: people.contains { $0.role > .member },
        before: try services.cases.find(.couple(id), in: reader),
        decisions: try services.cases.decisions(of: id, limit: 50, in: reader),
        isOwn: try services.isOwn(
          .couple(id), couple: id, author: nil, of: context.signedIn().id, in: reader),
        roleLink: nil)
    }
  }

  @Sendable func showPerson(_ request: Request, _ context: Context) throws -> Response {
    show(try person(context), TypedFields(), [:], context)
  }

  @Sendable func showCouple(_ request: Request, _ context: Context) throws -> Response {
    show(try couple(context), TypedFields(), [:], context)
  }

  @Sendable func decidePerson(_ request: Request, _ context: Context) throws -> Response {
    try decide(person(context), context, then: ModerationLinks.people)
  }

  @Sendable func decideCouple(_ request: Request, _ context: Context) throws -> Response {
    try decide(couple(context), context, then: ModerationLinks.couples)
  }

  private func decide(_ found: Found, _ context: Context, then: String) throws -> Response {
    let desk = DecisionDesk(services: services)
    switch desk.check(
      context.form.typed, kind: found.thing.kind, isFirst: false, isStaff: found.isStaff)
    {
    case .failure(let wrong):
      return show(found, context.form.typed, wrong.fields, context, .unprocessableContent)
    case .success(let verdict):
      do {
        try desk.decide(
          verdict, unreported: found.thing, couple: found.couple, author: found.author,
          by: context.signedIn(), now: context.now)
      } catch let taken as DecisionDesk.Taken {
        let words = CaseWords(context: context)
        return show(
          found, context.form.typed, [:], context, .conflict, taken: words.taken(taken.found))
      }
      context.say("toast.decided")
      return .seeOther(then)
    }
  }

  private func show(
    _ found: Found, _ typed: TypedFields, _ errors: [String: FieldError], _ context: Context,
    _ status: HTTPResponse.Status = .ok, taken: String? = nil
  ) -> Response {
    let words = StandingWords(context: context)
    let view = StandingView(
      page: PageView(context, title: "", named: found.name), kind: found.thing.kind,
      name: found.name, state: found.state,
      people: found.people.map {
        StandingItemView(
          link: ModerationLinks.person($0.id), name: $0.name, state: words.state(of: $0))
      },
      past: found.decisions.map { PastView($0, CaseWords(context: context)) },
      version: found.before?.version ?? 0, couple: found.couple, roleLink: found.roleLink,
      isOwn: found.isOwn, sessionsLink: found.sessionsLink, typed: typed,
      errors: errors.texts(context), taken: taken,
      action: found.thing.kind == .person
        ? ModerationLinks.people + "/" + context.parameters["id", default: ""]
        : ModerationLinks.couples + "/" + context.parameters["id", default: ""],
      choices: CaseWords(context: context).choices(
        for: found.thing.kind, chosen: typed["decision"], isStanding: true),
      lengths: CaseWords(context: context).lengths(chosen: typed["until"]))
    return .html(one.render(view, in: context.language), status: status)
  }
}

/// How somebody stands, in a reader's words.
struct StandingWords {
  let context: Context

  func state(of person: PersonStanding) -> String {
    if let suspension = person.suspension {
      guard let until = suspension.until else {
        return context.text("admin.standing.suspended_for_good")
      }
      return context.text(
        "admin.standing.suspended", ["until": When(context).moment(until)])
    }
    switch person.role {
    case .anyone, .guest: return context.text("admin.standing.guest")
    case .member: return person.coupleName ?? context.text("admin.standing.member")
    case .moderator: return context.text("admin.standing.moderator")
    case .admin: return context.text("admin.standing.admin")
    }
  }

  func state(of couple: CoupleStanding) -> String {
    if couple.isRemoved { return context.text("admin.standing.removed") }
    return couple.hiddenAt == nil
      ? context.text("admin.standing.\(couple.status.rawValue)")
      : context.text("admin.standing.hidden")
  }
}

struct StandingListView: View {
  let page: PageView
  let kind: String
  let name: String
  let items: [StandingItemView]
  let isFull: Bool
  let title: String
  let lead: String

  static let fields: [String: Field<StandingListView>] = [
    "page": .child { $0.page },
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

struct StandingItemView: View {
  let link: String
  let name: String
  let state: String

  static let fields: [String: Field<StandingItemView>] = [
    "link": .text { $0.link },
    "name": .text { $0.name },
    "state": .text { $0.state },
  ]
}

struct StandingView: View {
  let page: PageView
  let kind: Thing.Kind
  let name: String
  let state: String
  let people: [StandingItemView]
  let past: [PastView]
  let version: Int
  let couple: ID<Couple>?
  let roleLink: String?
  let isOwn: Bool
  let sessionsLink: String?
  let typed: TypedFields
  let errors: [String: String]
  let taken: String?
  let action: String
  let choices: [ChoiceView]
  let lengths: [ChoiceView]

  static let fields: [String: Field<StandingView>] = [
    "page": .child { $0.page },
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
    "note": .text { $0.typed["note"] },
    "action": .text { $0.action },
    "taken": .optionalText { $0.taken },
    "decision_error": .optionalText { $0.errors["decision"] },
    "until_error": .optionalText { $0.errors["until"] },
    "note_error": .optionalText { $0.errors["note"] },
    "errors": .optional { ErrorsView($0.errors, order: ["decision", "until", "note"]) },
  ]
}
