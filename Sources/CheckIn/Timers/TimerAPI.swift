import Core
import Database
import Web

/// `/api/v1/checkin/timer`: the user's timer.
struct TimerAPI {
  private let services: CheckInEnvironment

  private var service: TimerService { TimerService(services: services) }

  init(_ services: CheckInEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    let path = "/checkin/timer"
    return [
      .api(
        .get, path, .atLeast(.guest), Operation("Get your timer", .checkIn), options: .noStore,
        handler: show),
      .api(
        .post, path, .atLeast(.guest),
        Operation(
          "Start a timer", .checkIn,
          note: """
            Contacts are alerted if it is not ended in time. `conflict` while another one runs, \
            `validation_error` without a contact who would be alerted.
            """,
          errors: [.conflict]),
        options: [.noStore, .idempotent], handler: start),
      .api(
        .post, "\(path)/extend", .atLeast(.guest),
        Operation(
          "Extend your timer by 30 minutes", .checkIn,
          note: "404 if none runs, or contacts were alerted.", errors: [.notFound]),
        options: .noStore, handler: extend),
      .api(
        .delete, path, .atLeast(.guest),
        Operation(
          "End your timer", .checkIn, note: "Contacts who were alerted are told. 404 if none runs.",
          errors: [.notFound]),
        handler: end),
      .api(
        .post, "/checkin/help", .atLeast(.guest),
        Operation(
          "Call for help", .checkIn,
          note: """
            Alerts the contacts at once; a running timer ends. `DELETE \(path)` tells them that all \
            is well. `conflict` if a timer or a call has alerted them already, `validation_error` \
            without a contact who would be alerted.
            """,
          errors: [.conflict]),
        options: [.noStore, .idempotent], handler: callForHelp),
    ]
  }

  @Sendable private func show(_ context: Context) throws -> TimerStateResponse {
    let person = try context.signedIn().id
    return TimerStateResponse(
      timer: try services.site.database.read { try services.timers.find(of: person, in: $0) })
  }

  @Sendable private func start(
    _ input: TimerRequest, _ context: Context
  ) throws -> Created<CheckInTimer> {
    let form = TimerForm(
      minutes: String(input.minutes), grace: String(input.graceMinutes), note: input.note,
      sharesPlace: input.sharesPlace)
    var errors = form.errors
    errors["grace_minutes"] = errors.removeValue(forKey: "grace")
    guard errors.isEmpty, let minutes = form.minutes, let grace = form.grace else {
      throw Problem.invalid(errors)
    }
    do {
      return try context.answering(
        {
          try services.site.database.write { writer in
            try service.start(
              minutes: minutes, graceMinutes: grace, note: form.note,
              sharesPlace: form.sharesPlace, of: services.card(context, in: writer),
              now: context.now,
              in: writer)
            return try running(context, in: writer)
          }
        }, { Created($0) })
    } catch TimerService.Rejection.running {
      throw Problem(.conflict)
    } catch TimerService.Rejection.noContact {
      throw Problem.invalid(["minutes": FieldError("error.timer_contacts")])
    }
  }

  @Sendable private func callForHelp(
    _ input: HelpRequest, _ context: Context
  ) throws -> Created<CheckInTimer> {
    let form = HelpForm(note: input.note, sharesPlace: input.sharesPlace)
    guard form.errors.isEmpty else { throw Problem.invalid(form.errors) }
    do {
      return try context.answering(
        {
          try services.site.database.write { writer in
            try service.callForHelp(
              note: form.note, sharesPlace: form.sharesPlace,
              of: services.card(context, in: writer), now: context.now, in: writer)
            return try running(context, in: writer)
          }
        }, { Created($0) })
    } catch TimerService.Rejection.running {
      throw Problem(.conflict)
    } catch TimerService.Rejection.noContact {
      throw Problem.invalid(["note": FieldError("error.timer_contacts")])
    }
  }

  @Sendable private func extend(_ context: Context) throws -> CheckInTimer {
    try services.site.database.write { writer in
      guard try service.extend(context.signedIn().id, now: context.now, in: writer) else {
        throw Problem.notFound
      }
      return try running(context, in: writer)
    }
  }

  @Sendable private func end(_ context: Context) throws -> NoContent {
    try services.site.database.write { writer in
      let timer = try service.end(
        services.card(context, in: writer), now: context.now, in: writer)
      guard timer != nil else { throw Problem.notFound }
    }
    return NoContent()
  }

  private func running(_ context: Context, in reader: ReadTransaction) throws -> CheckInTimer {
    guard let timer = try services.timers.find(of: context.signedIn().id, in: reader) else {
      throw Problem.notFound
    }
    return timer
  }
}

/// A new timer.
struct TimerRequest: JSONRequest {
  var minutes = 0
  var graceMinutes = 15
  var note = ""
  var sharesPlace = false

  static let jsonName = "TimerInput"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "minutes", note: "Minutes until you want to be back.",
      bounds: ["enum": .list(CheckInTimer.lengths.map { .integer(Int64($0)) })], example: 60
    ) { $0.minutes = $1 },
    .optional(
      "grace_minutes", note: "Minutes between the end and the alert; 15 if omitted.",
      bounds: ["enum": .list(CheckInTimer.graces.map { .integer(Int64($0)) })], example: 15
    ) { $0.graceMinutes = $1 },
    .optional(
      "note", note: "For the contacts, up to \(CheckInTimer.noteLimits.characters) characters.",
      example: "Trail run, Elephant Mountain"
    ) { $0.note = $1 },
    .optional(
      "share_place", note: "Whether an alert contains the last place shared with a group."
    ) { $0.sharesPlace = $1 },
  ]
}

/// A call for help.
struct HelpRequest: JSONRequest {
  var note = ""
  var sharesPlace = false

  static let jsonName = "HelpInput"
  static let jsonFields: [InputField<Self>] = [
    .optional(
      "note", note: "For the contacts, up to \(CheckInTimer.noteLimits.characters) characters.",
      example: "Twisted my ankle below the second bridge"
    ) { $0.note = $1 },
    .optional(
      "share_place", note: "Whether the alert contains the last place shared with a group."
    ) { $0.sharesPlace = $1 },
  ]
}

/// The user's timer, if one runs.
struct TimerStateResponse: JSONResponse {
  let timer: CheckInTimer?

  static let jsonName = "TimerState"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("timer", note: "Null if none runs.") { $0.timer }
  ]
}

extension CheckInTimer: JSONResponse {
  static let jsonName = "Timer"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.id },
    JSONField("started_at") { $0.startedAt },
    JSONField("ends_at") { $0.endsAt },
    JSONField("alert_at", note: "When contacts are alerted.") { $0.alertAt },
    JSONField("alerted_at", note: "Null if no contact was alerted.") { $0.alertedAt },
    JSONField("note", example: "Trail run, Elephant Mountain") { $0.note },
    JSONField("share_place", example: false) { $0.sharesPlace },
    JSONField("help", note: "Whether it is a call for help.", example: false) { $0.isHelp },
  ]
}
