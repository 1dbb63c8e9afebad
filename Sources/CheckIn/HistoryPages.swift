import Basics
import Foundation
import Templates
import Web

/// `/checkin/history`: a month a page, the year around it, and everything as a file.
struct HistoryPages {
  private let services: CheckInServices
  private let page: Template<HistoryView>

  init(_ services: CheckInServices) throws {
    self.services = services
    page = try services.site.templates.template("checkin/history")
  }

  /// A month that is none, or that there is nothing to see of, is 404.
  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let today = today(of: viewer, context)
    let month = try month(request, today: today)
    let (days, streaks) = try read(viewer.id, around: month, today: today)
    guard let calendar = MonthCalendar(month, of: days) else { throw Problem.notFound }
    let history =
      days.first == nil
      ? nil
      : HistoryBodyView(
        calendar, YearMap(around: month, of: days), streaks, days, When(context), context)
    let view = HistoryView(
      page: PageView(context, title: "history.title"), history: history)
    return .html(page.render(view, in: context.language))
  }

  @Sendable func sendCSV(_ request: Request, _ context: Context) throws -> Response {
    try file(context, "csv", "text/csv; charset=utf-8; header=present", HistoryExport.csv)
  }

  @Sendable func sendJSON(_ request: Request, _ context: Context) throws -> Response {
    try file(context, "json", "application/json", HistoryExport.json)
  }

  // MARK: Reading

  private func month(_ request: Request, today: LocalDay) throws -> Month {
    guard let text = request.queryValue("month") else { return Month(today) }
    guard let month = Month(text) else { throw Problem.notFound }
    return month
  }

  /// The year around a month, and all days for the streaks.
  private func read(
    _ person: ID<Person>, around month: Month, today: LocalDay
  ) throws -> (HistoryDays, Streaks) {
    let year = month.daysOfYear
    return try services.site.database.read { reader in
      let all = try services.checkIns.days(of: person, in: reader)
      let days = HistoryDays(
        try services.checkIns.all(
          of: person, from: year.lowerBound, to: year.upperBound, in: reader),
        pauses: try services.watches.pauses(
          of: person, from: year.lowerBound, to: year.upperBound, in: reader),
        first: all.first, today: today)
      return (days, Streaks(days: all, today: today))
    }
  }

  /// Today where the person's check-ins are counted.
  private func today(of viewer: Viewer, _ context: Context) -> LocalDay {
    let names = [viewer.timeZone, services.site.defaultTimeZone]
    let zone = names.lazy.compactMap { $0.flatMap(TimeZone.init(identifier:)) }.first
    return LocalDay(context.now, in: zone ?? .gmt)
  }

  private func file(
    _ context: Context, _ ending: String, _ type: String, _ make: ([CheckIn]) -> [UInt8]
  ) throws -> Response {
    let viewer = try context.signedIn()
    let today = today(of: viewer, context)
    // Ten years are some 3,700 short lines.
    let all = try services.site.database.read {
      try services.checkIns.all(
        of: viewer.id, from: LocalDay(number: 0), to: today.adding(days: 2), in: $0)
    }
    var response = Response(.ok, headers: [.contentType: type], body: make(all))
    response.headers[.contentDisposition] =
      "attachment; filename=\"pairspot-check-ins-\(today).\(ending)\""
    return response
  }
}
