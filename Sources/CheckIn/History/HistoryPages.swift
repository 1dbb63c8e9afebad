import Core
import Templates
import Web

/// `/checkin/history`: one month per page, the year around it, and the export.
struct HistoryPages {
  private let services: CheckInEnvironment
  private let page: Page<HistoryView>

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/history", title: "history.title", in: services.site)
  }

  /// Throws 404 for an invalid month or one without content.
  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let today = context.today
    let month = try month(context.request, today: today)
    let (days, streaks) = try read(viewer.id, around: month, today: today)
    guard let calendar = MonthCalendar(month, of: days) else { throw Problem.notFound }
    let history =
      days.first == nil
      ? nil
      : HistoryBodyView(
        calendar, YearMap(around: month, of: days), streaks, days, DateFormatting(context), context)
    let view = HistoryView(history: history)
    return page.response(view, context)
  }

  @Sendable func sendCSV(_ context: Context) throws -> Response {
    try file(context, "csv", HistoryExport.csvType, HistoryExport.csv)
  }

  @Sendable func sendJSON(_ context: Context) throws -> Response {
    try file(context, "json", "application/json", HistoryExport.json)
  }

  // MARK: Reading

  private func month(_ request: Request, today: LocalDay) throws -> Month {
    guard let text = request.queryValue("month") else { return Month(today) }
    guard let month = Month(text) else { throw Problem.notFound }
    return month
  }

  /// The days of the year around a month, and the streaks over all days.
  private func read(
    _ person: ID<Person>, around month: Month, today: LocalDay
  ) throws -> (HistoryDays, Streaks) {
    let year = month.daysOfYear
    return try services.site.database.read { reader in
      let all = try services.checkIns.days(of: person, in: reader)
      let days = HistoryDays(
        try services.checkIns.all(
          of: person, from: year.lowerBound, to: year.upperBound, in: reader),
        pauses: try services.monitors.pauses(
          of: person, from: year.lowerBound, to: year.upperBound, in: reader),
        first: all.first, today: today)
      return (days, Streaks(days: all, today: today))
    }
  }

  private func file(
    _ context: Context, _ ending: String, _ type: String, _ make: ([CheckIn]) -> [UInt8]
  ) throws -> Response {
    let viewer = try context.signedIn()
    let today = context.today
    return HistoryExport.response(
      make(try services.allCheckIns(of: viewer, today: today)), ending, type, today: today)
  }
}
