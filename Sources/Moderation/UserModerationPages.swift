import Accounts
import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/admin/users` and `/admin/couples`: lists, search, moderation state, suspending and lifting. Shows
/// names, states and when they were last here: no mail address, contact or place.
struct UserModerationPages {
  private let services: ModerationEnvironment
  private let list: Page<UserModerationListView>
  private let one: Page<UserModerationView>

  init(_ services: ModerationEnvironment) throws {
    self.services = services
    list = try Page("staff/users", in: services.site)
    one = try Page("staff/user", in: services.site)
  }

  // MARK: Lists

  @Sendable func showPeople(_ context: Context) throws -> Response {
    try showList(UserListQuery(context.request, filter: "suspended"), context)
  }

  /// A search by POST, so that an e-mail address stands in no URL and no log. Leads to the person with
  /// this address, or lists those with such a name.
  @Sendable func findPeople(_ context: Context) throws -> Response {
    let query = UserListQuery(named: context.form["q"], filter: "suspended")
    guard query.mayBeAddress else { return .seeOther(query.link(ModerationLinks.people)) }
    let found = try services.site.database.read {
      try services.directory.person(withAddress: query.name, in: $0)
    }
    if let found { return .seeOther(ModerationLinks.person(found)) }
    return try showList(query, context)
  }

  private func showList(_ query: UserListQuery, _ context: Context) throws -> Response {
    let formatter = ModerationStatusFormatter(context: context)
    let list = try services.site.database.read { try people(query, now: context.now, in: $0) }
    return show(
      "people", query,
      list.rows.map {
        UserModerationItemView(
          link: ModerationLinks.person($0.id), name: $0.name, state: formatter.state(of: $0),
          dates: formatter.dates(of: $0))
      }, older: query.mayBeAddress ? nil : list.older?.description, context)
  }

  private func people(
    _ query: UserListQuery, now: Instant, in reader: ReadTransaction
  ) throws -> ModerationList<UserModerationStatus, Person> {
    let statuses = services.moderationStatuses
    if query.isFiltered {
      return ModerationList(rows: try statuses.suspended(now: now, in: reader))
    }
    return try statuses.people(
      named: query.name, before: query.before.flatMap { ID($0) }, now: now, in: reader)
  }

  @Sendable func showCouples(_ context: Context) throws -> Response {
    let query = UserListQuery(context.request, filter: "hidden")
    let formatter = ModerationStatusFormatter(context: context)
    let list = try services.site.database.read { reader in
      query.isFiltered
        ? ModerationList(rows: try services.moderationStatuses.hiddenCouples(in: reader))
        : try services.moderationStatuses.couples(
          named: query.name, before: query.before.flatMap { ID($0) }, in: reader)
    }
    return show(
      "couples", query,
      list.rows.map {
        UserModerationItemView(
          link: ModerationLinks.couple($0.id), name: $0.name, state: formatter.state(of: $0),
          dates: formatter.joined($0.createdAt))
      }, older: list.older?.description, context)
  }

  private func show(
    _ kind: String, _ query: UserListQuery, _ items: [UserModerationItemView], older: String?,
    _ context: Context
  ) -> Response {
    let path = kind == "people" ? ModerationLinks.people : ModerationLinks.couples
    let filters = [false, true].map { isFiltered in
      FilterView(
        link: isFiltered ? "\(path)?state=\(query.filter)" : path,
        name: context.text(isFiltered ? "admin.state.\(query.filter)" : "admin.status.all"),
        count: nil, isChosen: query.isFiltered == isFiltered)
    }
    let view = UserModerationListView(
      path: path, isPosted: kind == "people", name: query.name, items: items, filters: filters,
      older: older.map { query.link(path, before: $0) },
      title: context.text("admin.\(kind)"), lead: context.text("admin.\(kind).lead"),
      label: context.text("admin.\(kind).find"))
    return list.response(view, context, title: .key("admin.\(kind)"))
  }

  // MARK: Details

  private struct SearchResults {
    let target: ReportTarget
    let name: String
    let state: String
    let couple: ID<Couple>?
    let author: ID<Person>?
    let people: [UserModerationStatus]
    let isStaff: Bool
    let before: ReportCase?
    let decisions: [PastDecision]
    /// Whether the viewer is concerned, so that another moderator must decide.
    let isOwn: Bool
    /// Page for changing the role; nil if the user cannot have one.
    let roleLink: String?
    /// Page for ending the sessions; nil for the viewer's own.
    var sessionsLink: String?
  }

  private func person(_ context: Context) throws -> SearchResults {
    let id = try context.id("id", Person.self)
    let formatter = ModerationStatusFormatter(context: context)
    return try services.site.database.read { reader in
      guard let person = try services.moderationStatuses.person(id, now: context.now, in: reader)
      else {
        throw Problem.notFound
      }
      let before = try services.cases.find(.person(id), in: reader)
      return SearchResults(
        target: .person(id), name: person.name, state: formatter.state(of: person),
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

  /// Decisions about a user and about the user's couple: both can be the cause of a suspension.
  private func decisions(
    of person: UserModerationStatus, _ own: ReportCase?, in reader: ReadTransaction
  ) throws -> [PastDecision] {
    let couples = try person.couple.map {
      try services.cases.decisions(of: $0, limit: 50, in: reader)
    }
    let others = couples?.filter { $0.caseID != own?.id } ?? []
    let ownOnes = try own.map { try services.cases.decisions(of: $0.id, in: reader) } ?? []
    return (ownOnes + others).sorted { $0.at > $1.at }
  }

  private func couple(_ context: Context) throws -> SearchResults {
    let id = try context.id("id", Couple.self)
    let formatter = ModerationStatusFormatter(context: context)
    return try services.site.database.read { reader in
      guard let couple = try services.moderationStatuses.couple(id, in: reader) else {
        throw Problem.notFound
      }
      let people = try services.moderationStatuses.people(of: id, now: context.now, in: reader)
      return SearchResults(
        target: .couple(id), name: couple.name, state: formatter.state(of: couple), couple: id,
        author: nil, people: people, isStaff: people.contains { $0.role > .member },
        before: try services.cases.find(.couple(id), in: reader),
        decisions: try services.cases.decisions(of: id, limit: 50, in: reader),
        isOwn: try services.isOwn(
          .couple(id), couple: id, author: nil, of: context.signedIn().id, in: reader),
        roleLink: nil)
    }
  }

  @Sendable func showPerson(_ context: Context) throws -> Response {
    show(try person(context), FormFields(), [:], context)
  }

  @Sendable func showCouple(_ context: Context) throws -> Response {
    show(try couple(context), FormFields(), [:], context)
  }

  @Sendable func decidePerson(_ context: Context) throws -> Response {
    try decide(person(context), context, then: ModerationLinks.people)
  }

  @Sendable func decideCouple(_ context: Context) throws -> Response {
    try decide(couple(context), context, then: ModerationLinks.couples)
  }

  private func decide(_ found: SearchResults, _ context: Context, then: String) throws -> Response {
    let service = DecisionService(services: services)
    switch service.check(
      context.form.entered,
      note: CaseFormatter(context: context).note(context.form.entered), kind: found.target.kind,
      isFirst: false, isStaff: found.isStaff)
    {
    case .failure(let wrong):
      return show(found, context.form.entered, wrong.fields, context, .unprocessableContent)
    case .success(let verdict):
      do {
        try service.decide(
          verdict, unreported: found.target, couple: found.couple, author: found.author,
          by: context.signedIn(), now: context.now)
      } catch let taken as DecisionService.AlreadyDecided {
        let formatter = CaseFormatter(context: context)
        return show(
          found, context.form.entered, [:], context, .conflict, taken: formatter.taken(taken.found))
      }
      context.flash("toast.decided")
      return .seeOther(then)
    }
  }

  private func show(
    _ found: SearchResults, _ entered: FormFields, _ errors: [String: FieldError],
    _ context: Context,
    _ status: HTTPResponse.Status = .ok, taken: String? = nil
  ) -> Response {
    let formatter = ModerationStatusFormatter(context: context)
    let view = UserModerationView(
      kind: found.target.kind,
      name: found.name, state: found.state,
      people: found.people.map {
        UserModerationItemView(
          link: ModerationLinks.person($0.id), name: $0.name, state: formatter.state(of: $0))
      },
      past: found.decisions.map { PastDecisionView($0, CaseFormatter(context: context)) },
      version: found.before?.version ?? 0, couple: found.couple, roleLink: found.roleLink,
      isOwn: found.isOwn, sessionsLink: found.sessionsLink, entered: entered,
      errors: errors.texts(context), taken: taken,
      action: found.target.kind == .person
        ? ModerationLinks.people + "/" + context.parameters["id", default: ""]
        : ModerationLinks.couples + "/" + context.parameters["id", default: ""],
      choices: CaseFormatter(context: context).choices(
        for: found.target.kind, chosen: entered["decision"], isStanding: true),
      lengths: CaseFormatter(context: context).lengths(chosen: entered["until"]),
      replies: CaseFormatter(context: context).replies(chosen: entered["reply"]))
    return one.response(view, context, title: .named(found.name), status: status)
  }
}

/// Moderation state of a user in the viewer's language.
struct ModerationStatusFormatter {
  let context: Context

  func state(of person: UserModerationStatus) -> String {
    if let suspension = person.suspension {
      guard let until = suspension.until else {
        return context.text("admin.status.suspended_permanently")
      }
      return context.text(
        "admin.status.suspended", ["until": DateFormatting(context).moment(until)])
    }
    switch person.role {
    case .anyone, .guest: return context.text("admin.status.guest")
    case .member: return person.coupleName ?? context.text("admin.status.member")
    case .moderator: return context.text("admin.status.moderator")
    case .admin: return context.text("admin.status.admin")
    }
  }

  /// "Joined 3 May 2026 · last seen 2 h".
  func dates(of person: UserModerationStatus) -> String {
    let seen = person.lastSeenAt.map {
      context.text("admin.status.seen", ["age": DateFormatting(context).age($0)])
    }
    return ([joined(person.joinedAt)] + (seen.map { [$0] } ?? [])).joined(separator: " · ")
  }

  func joined(_ moment: Instant) -> String {
    let when = DateFormatting(context)
    return context.text(
      "admin.status.joined", ["day": when.day(LocalDay(moment, in: context.timeZone))])
  }

  func state(of couple: CoupleModerationStatus) -> String {
    if couple.isRemoved { return context.text("admin.status.removed") }
    return couple.hiddenAt == nil
      ? context.text("admin.status.\(couple.status.rawValue)")
      : context.text("admin.status.hidden")
  }
}
