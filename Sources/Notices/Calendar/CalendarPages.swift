import Accounts
import Core
import HTTPTypes
import Secrets
import Templates
import Web

/// `/settings/calendar` (the secret link) and the calendar itself.
struct CalendarPages {
  /// Anniversaries of each kind in a calendar.
  private static let perKind = 20
  /// Keeps the new link until it is shown, once.
  private static let newLink = SealedCookie(name: "calendar_link", lifetime: .minutes(10))

  private let services: NoticesEnvironment
  private let page: Page<CalendarView>
  private let questions: QuestionPage
  private let store = CalendarStore()

  init(_ services: NoticesEnvironment) throws {
    self.services = services
    page = try Page("notices/calendar", title: "anniversary.title", in: services.site)
    questions = try QuestionPage(in: services.site)
  }

  /// With `ask`, asks before a button is pressed that ends the existing link.
  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let couple = try ownCouple(viewer)
    if let question = question(context) { return questions.response(question, context) }
    let (card, createdAt) = try services.site.database.read { reader in
      (
        try AnniversaryCouples.couple(couple, of: viewer.id, in: reader),
        try store.createdAt(by: viewer.id, for: couple, in: reader)
      )
    }
    let token = Self.newLink.read(for: viewer.id, context)
    Self.newLink.clear(context)
    let view = CalendarView(
      couple: couple,
      link: token.map { context.site.baseURL + NoticesLinks.calendar(of: couple, token: $0) },
      day: createdAt.map { DateFormatting(context).moment($0) }, isNamed: card?.since != nil)
    return page.response(view, context)
  }

  @Sendable func change(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let couple = try ownCouple(viewer)
    guard context.form["button"] != "remove" else {
      try services.site.database.write { try store.remove(of: viewer.id, in: $0) }
      Self.newLink.clear(context)
      context.flash("toast.calendar_removed")
      return .seeOther(NoticesLinks.calendarSettings)
    }
    let token = Token.random()
    try services.site.database.write {
      try store.make(token, for: viewer.id, couple: couple, now: context.now, in: $0)
    }
    try Self.newLink.set(token.text, for: viewer.id, context)
    return .seeOther(NoticesLinks.calendarSettings)
  }

  private func question(_ context: Context) -> Question? {
    let keys: (title: String, text: String, button: String)
    let ask = context.request.queryValue("ask") ?? ""
    switch ask {
    case "make":
      keys = ("anniversary.renew_title", "anniversary.renew_text", "anniversary.renew")
    case "remove":
      keys = ("anniversary.remove_title", "anniversary.remove_text", "anniversary.remove")
    default: return nil
    }
    return Question(
      title: context.text(keys.title), text: context.text(keys.text),
      button: context.text(keys.button), action: NoticesLinks.calendarSettings,
      inputs: [("button", ask)], cancel: NoticesLinks.calendarSettings)
  }

  /// The viewer's active couple. Throws 404 if there is none.
  private func ownCouple(_ viewer: Viewer) throws -> ID<Couple> {
    guard let couple = viewer.couple, couple.status == .active else { throw Problem.notFound }
    return couple.id
  }

  // MARK: The calendar

  /// Needs the link only, while its creator is a member of the couple.
  @Sendable func send(_ context: Context) throws -> Response {
    let couple = try context.id("id", Couple.self)
    guard let token = context.request.queryValue("token").flatMap({ Token($0) }) else {
      throw Problem.notFound
    }
    let found = try services.site.database.read { reader in
      try store.owner(of: token, for: couple, in: reader).flatMap { owner in
        try AnniversaryCouples.couple(couple, of: owner.person, in: reader).map { (owner, $0) }
      }
    }
    guard let (owner, card) = found else { throw Problem.notFound }
    let language = card.language.flatMap(Language.init(rawValue:)) ?? services.site.defaultLanguage
    let file = CalendarFile(
      name: services.site.catalogues.text(
        "anniversary.calendar", in: language, ["couple_name": card.name]),
      events: card.since.map { events(of: couple, card.name, since: $0, language, context) } ?? [],
      stamp: owner.createdAt)
    return Response(
      .ok,
      headers: [
        .contentType: "text/calendar; charset=utf-8",
        .contentDisposition: "attachment; filename=\"anniversary.ics\"",
      ], body: file.bytes)
  }

  private func events(
    of couple: ID<Couple>, _ name: String, since: LocalDay, _ language: Language,
    _ context: Context
  ) -> [CalendarFile.Event] {
    // A past day is kept for a while, so that it doesn't disappear on the day itself.
    let from = LocalDay(context.now, in: .gmt).adding(days: -30)
    return Anniversary.upcoming(from: from, since: since, perKind: Self.perKind).map { one in
      CalendarFile.Event(
        uid: "\(couple)-\(one.kind.rawValue)-\(one.number)@\(services.site.host)", day: one.day,
        summary: services.site.catalogues.text(
          "anniversary.\(one.kind.rawValue)", in: language, ["couple_name": name],
          count: one.number))
    }
  }
}

struct CalendarView: View {
  let couple: ID<Couple>
  /// Shown once.
  let link: String?
  /// Creation date of the existing link.
  let day: String?
  /// Whether the couple has set its first day.
  let isNamed: Bool

  static let fields: [String: Field<CalendarView>] = [
    "link": .optionalText { $0.link },
    "day": .optionalText { $0.day },
    "named": .flag { $0.isNamed },
    "edit_link": .text { AccountLinks.editCouple($0.couple) },
    "action": .text { _ in NoticesLinks.calendarSettings },
    "settings_link": .text { _ in AccountLinks.settings },
  ]
}
