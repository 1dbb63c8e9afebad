import Core
import Foundation
import Templates

/// Formats moments and days in the viewer's language and zone.
public struct DateFormatting: Sendable {
  private let now: Instant
  private let zone: TimeZone
  private let language: Language
  private let catalogues: Catalogues
  /// Today in the viewer's zone.
  public let today: LocalDay

  public init(_ context: Context) {
    self.init(
      now: context.now, zone: context.timeZone, language: context.language,
      catalogues: context.site.catalogues, today: context.today)
  }

  /// For mails, which have no request: formats as their reader sees it at `now`.
  public init(now: Instant, zone: TimeZone, language: Language, catalogues: Catalogues) {
    self.init(
      now: now, zone: zone, language: language, catalogues: catalogues,
      today: LocalDay(now, in: zone))
  }

  private init(
    now: Instant, zone: TimeZone, language: Language, catalogues: Catalogues, today: LocalDay
  ) {
    self.now = now
    self.zone = zone
    self.language = language
    self.catalogues = catalogues
    self.today = today
  }

  /// "just now", "3 min ago", "2 h ago", "yesterday", "4 days ago", then the day.
  public func age(_ instant: Instant) -> String {
    switch passed(since: instant) {
    case .seconds: text("age.now", nil)
    case .minutes(let count): text("age.minutes", count)
    case .hours(let count): text("age.hours", count)
    case .yesterday: text("age.yesterday", nil)
    case .days(let count): text("age.days", count)
    case .longer(let since): day(since)
    }
  }

  /// The time passed since a moment, as precise as it is shown.
  public enum Age: Hashable, Sendable {
    case seconds
    case minutes(Int)
    case hours(Int)
    case yesterday
    case days(Int)
    /// A week or more: since this day.
    case longer(LocalDay)
  }

  /// The time passed since a moment, of which `age` is the text.
  public func passed(since instant: Instant) -> Age {
    let seconds = now.seconds(since: instant)
    switch seconds {
    case ..<60: return .seconds
    case ..<3600: return .minutes(Int(seconds / 60))
    case ..<(6 * 3600): return .hours(Int(seconds / 3600))
    default: break
    }
    // The day is looked up only where it matters: a zone's offset is slow.
    let day = LocalDay(instant, in: zone)
    let days = today.number - day.number
    if days == 0, seconds < 86_400 { return .hours(Int(seconds / 3600)) }
    if days <= 1 { return .yesterday }
    return days < 7 ? .days(days) : .longer(day)
  }

  /// "5 August 2023", "2023年8月5日".
  public func day(_ day: LocalDay) -> String {
    let (year, month, number) = day.components
    switch language {
    case .english: return "\(number) \(Self.months[month - 1]) \(year)"
    case .traditionalChinese, .simplifiedChinese: return "\(year)年\(month)月\(number)日"
    }
  }

  /// "November 2026", "2026年11月".
  public func month(of day: LocalDay) -> String {
    let (year, month, _) = day.components
    return language == .english ? "\(Self.months[month - 1]) \(year)" : "\(year)年\(month)月"
  }

  /// "Nov", "11月".
  public func shortMonth(of day: LocalDay) -> String {
    let month = day.components.month
    return language == .english ? String(Self.months[month - 1].prefix(3)) : "\(month)月"
  }

  /// "Monday", "星期一".
  public func weekday(_ day: LocalDay) -> String { text(Self.weekdays[day.weekday - 1], nil) }

  /// "Mon", "一".
  public func shortWeekday(_ day: LocalDay) -> String {
    text(Self.shortWeekdays[day.weekday - 1], nil)
  }

  /// "09:12", local time.
  public func time(_ instant: Instant) -> String {
    let minutes = (instant.milliseconds / 1000 + offset(instant)) / 60 % 1440
    return "\(Self.two(minutes / 60)):\(Self.two(minutes % 60))"
  }

  private func offset(_ instant: Instant) -> Int64 {
    zone.offset(at: instant)
  }

  /// "21 November 2026, 09:12", "2026年11月21日 09:12".
  public func moment(_ instant: Instant) -> String {
    let day = day(LocalDay(instant, in: zone))
    return language == .english ? "\(day), \(time(instant))" : "\(day) \(time(instant))"
  }

  /// The time alone for a moment of today, else with its day.
  public func momentOrTime(_ instant: Instant) -> String {
    LocalDay(instant, in: zone) == today ? time(instant) : moment(instant)
  }

  private func text(_ key: String, _ count: Int?) -> String {
    catalogues.text(key, in: language, [:], count: count)
  }

  private static func two(_ number: Int64) -> String {
    number < 10 ? "0\(number)" : String(number)
  }

  private static let weekdays = [
    "weekday.1", "weekday.2", "weekday.3", "weekday.4", "weekday.5", "weekday.6", "weekday.7",
  ]
  private static let shortWeekdays = [
    "weekday_short.1", "weekday_short.2", "weekday_short.3", "weekday_short.4", "weekday_short.5",
    "weekday_short.6", "weekday_short.7",
  ]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
}
