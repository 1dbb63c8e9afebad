import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/checkin/help`: notifies the user's contacts at once.
struct HelpPages {
  private let services: CheckInEnvironment
  private let page: Page<HelpView>

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/help", title: "help.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let note = context.request.queryValue("note").map {
      CheckInTimer.noteLimits.beginning(of: $0.asOneLine)
    }
    return try response(context, note: note ?? "", sharesPlace: true, errors: [:])
  }

  @Sendable func call(_ context: Context) throws -> Response {
    let form = HelpForm(note: context.form["note"], sharesPlace: context.form.has("share_place"))
    guard form.errors.isEmpty else {
      return try response(
        context, note: form.note, sharesPlace: form.sharesPlace, errors: form.errors)
    }
    do {
      try services.site.database.write { writer in
        try TimerService(services: services).callForHelp(
          note: form.note, sharesPlace: form.sharesPlace, of: services.card(context, in: writer),
          now: context.now, in: writer)
      }
    } catch TimerService.Rejection.noContact {
      return try response(
        context, note: form.note, sharesPlace: form.sharesPlace,
        errors: ["note": FieldError("error.timer_contacts")])
    } catch TimerService.Rejection.running {
      context.flash("toast.help_already")
      return .seeOther(CheckInLinks.page)
    }
    context.flash("toast.help_called")
    return .seeOther(CheckInLinks.page)
  }

  private func response(
    _ context: Context, note: String, sharesPlace: Bool, errors: [String: FieldError]
  ) throws -> Response {
    let person = try context.signedIn().id
    let (timer, contacts) = try services.site.database.read { reader in
      (
        try services.timers.find(of: person, in: reader),
        try services.contacts.all(of: person, in: reader).filter(\.counts)
      )
    }
    let view = HelpView(
      running: timer.flatMap {
        $0.alertedAt == nil ? nil : RunningTimerView($0, DateFormatting(context), context)
      },
      contacts: contacts.map(\.shownName), note: note, sharesPlace: sharesPlace,
      errors: errors.texts(context))
    return page.response(view, context, status: errors.isEmpty ? .ok : .unprocessableContent)
  }
}

/// The entered values of a call for help.
struct HelpForm {
  let note: String
  let sharesPlace: Bool

  init(note: String, sharesPlace: Bool) {
    self.note = note.asParagraphs
    self.sharesPlace = sharesPlace
  }

  var errors: [String: FieldError] {
    let limit = CheckInTimer.noteLimits
    let excess = limit.excess(of: note)
    guard excess > 0 else { return [:] }
    return [
      "note": FieldError(
        "error.sheet_long",
        ["most": String(limit.characters), "count": String(limit.characters + excess)])
    ]
  }
}

struct HelpView: FormContent {
  /// The call whose contacts were notified already, or such a timer.
  let running: RunningTimerView?
  let contacts: [String]
  let note: String
  let sharesPlace: Bool
  let errors: [String: String]

  static let fields: [String: Field<HelpView>] = formFields(
    errors: ["note"],
    [
      "action": .text { _ in CheckInLinks.help },
      "contacts_link": .text { _ in CheckInLinks.contacts },
      "running": .optional { $0.running },
      "has_contact": .flag { !$0.contacts.isEmpty },
      "contacts": .list { $0.contacts },
      "note": .text { $0.note },
      "shares_place": .flag { $0.sharesPlace },
    ])
}
