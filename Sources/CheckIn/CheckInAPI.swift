import Accounts
import Core
import Database
import Foundation
import Web

/// `/api/v1/checkin`: the daily tap, its state, and the settings of the monitoring.
struct CheckInAPI {
  private let services: CheckInEnvironment

  private var settings: CheckInSettingsService { CheckInSettingsService(services: services) }

  init(_ services: CheckInEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .get, "/checkin", .atLeast(.guest), Operation("Get your check-in status", .checkIn),
        options: .noStore, handler: show),
      .api(
        .post, "/checkin", .atLeast(.guest),
        Operation(
          "Check in", .checkIn,
          note: """
            201 for the first check-in of the day; repeating it changes nothing and returns 200. \
            Requires a name and a contact; otherwise 422, and `fields` contains `display_name` \
            (set with `PUT /checkin/settings`) or `contact_email` (set with `POST \
            /checkin/contacts`), which are not fields of this request.
            """,
          errors: [.notToday]),
        options: .idempotent, handler: tap),
      .api(
        .put, "/checkin/settings", .atLeast(.guest),
        Operation(
          "Change your check-in settings", .checkIn, note: "Omitted fields stay unchanged."),
        options: .noStore, handler: set),
      .api(
        .get, "/checkin/history", .atLeast(.guest),
        Operation("Get a month of check-ins, or all as CSV", .checkIn),
        query: HistoryQuery.self,
        answers: [
          .init(.ok, "The month.", json: HistoryResponse.self),
          .init(.ok, "With `format=csv`.", contentType: "text/csv"),
        ], options: .noStore, handler: history),
    ] + ContactAPI(services).routes + ContactChannelAPI(services).routes + TimerAPI(services).routes
      + SignAPI(services).routes
  }

  @Sendable private func show(_ context: Context) throws -> CheckInStateResponse {
    let viewer = try context.signedIn()
    let model = try CheckInModel(services, context)
    let (known, contacts) = try services.site.database.read { reader in
      (
        try settings.known(context, in: reader),
        try ContactService(services: services).all(of: viewer.id, now: context.now, in: reader)
      )
    }
    return CheckInStateResponse(
      model: model, settings: CheckInSettingsResponse(known, now: context.now),
      contacts: contacts.map { ContactResponse(contact: $0.contact, mails: $0.mails) },
      now: context.now)
  }

  @Sendable private func tap(
    _ input: CheckInRequest, _ context: Context
  ) throws -> CreatedOrFound<CheckInResponse> {
    try CheckInFailure.counting(in: context.site.metrics) {
      try context.answering({ try take(input, context) }, { $0 })
    }
  }

  private func take(_ input: CheckInRequest, _ context: Context) throws -> CreatedOrFound<
    CheckInResponse
  > {
    try services.site.database.write { writer in
      let card = try card(input, context, in: writer)
      let checkInService = CheckInService(services: services)
      let missing = try checkInService.missing(to: card, in: writer)
      guard missing.isEmpty else { throw Problem.invalid(missing) }
      let outcome = try Self.ofToday {
        try checkInService.tap(
          by: card, offlineAt: input.offlineAt, day: input.day, now: context.now, in: writer)
      }
      let first = try services.checkIns.find(outcome.day, of: card.id, in: writer)
      guard let first else { throw Problem.internalError }
      let streaks = Streaks(
        days: try services.checkIns.days(of: card.id, in: writer),
        today: LocalDay(context.now, in: services.zone(of: card)))
      let record = CheckInResponse(
        checkIn: first, streak: streaks.current, timer: outcome.timer)
      return outcome.isFirst ? .created(record) : .found(record)
    }
  }

  /// The user who taps. A user without a time zone gets the one that was sent; an unknown zone does
  /// not prevent the tap.
  private func card(
    _ input: CheckInRequest, _ context: Context, in writer: WriteTransaction
  ) throws -> UserSummary {
    let viewer = try context.signedIn()
    if let zone = input.timeZone, TimeZone(named: zone) != nil {
      try services.timeZones.setDetected(zone, of: viewer.id, now: context.now, in: writer)
    }
    guard let card = try services.people.card(viewer.id, in: writer) else {
      throw Problem(.invalidToken)
    }
    return card
  }

  private static func ofToday<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch is CheckInAttempt.Rejection {
      throw Problem(.notToday)
    }
  }

  @Sendable private func set(
    _ input: CheckInSettingsRequest, _ context: Context
  ) throws -> CheckInSettingsResponse {
    let errors = try settings.save(input.sent, settings.known(context), context)
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    return CheckInSettingsResponse(try settings.known(context), now: context.now)
  }

  @Sendable private func history(_ context: Context) throws -> Response {
    let query = try HistoryQuery.read(query: context.request.query)
    let viewer = try context.signedIn()
    let today = context.today
    switch query.format {
    case .csv:
      let all = try services.allCheckIns(of: viewer, today: today)
      return HistoryExport.response(
        HistoryExport.csv(all), "csv", HistoryExport.csvType, today: today)
    case .json:
      let month = query.month ?? Month(today)
      let days = try services.site.database.read {
        try services.checkIns.all(of: viewer.id, from: month.first, to: month.last, in: $0)
      }
      return HistoryResponse(days: days).response()
    }
  }
}
