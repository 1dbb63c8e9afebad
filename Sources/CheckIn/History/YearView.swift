import Core
import Templates
import Web

/// The map of a year as SVG paths, and the table behind it.
struct YearView: View {
  /// The distance from one cell to the next in units of the drawing; a cell is 11 wide.
  private static let step = 13

  let map: YearMap
  let labels: [YearLabelView]
  let months: [MonthSumView]
  let others: [YearLinkView]

  init(_ map: YearMap, _ days: HistoryDays, _ when: DateFormatting) {
    self.map = map
    months = map.months.map { MonthSumView(sum: $0, name: when.month(of: $0.month.first)) }
    labels = Self.labels(map, when)
    others = (days.months.lowerBound.year...days.months.upperBound.year)
      .filter { $0 != map.year }.suffix(10).map { YearLinkView(year: $0, months: days.months) }
  }

  /// Every second month, at the column of its first day.
  private static func labels(_ map: YearMap, _ when: DateFormatting) -> [YearLabelView] {
    stride(from: 1, through: 11, by: 2).compactMap { month in
      guard let first = LocalDay(year: map.year, month: month, day: 1) else { return nil }
      let column = map.column(of: first)
      guard column < map.columns else { return nil }
      return YearLabelView(
        text: when.shortMonth(of: first), percent: column * 100 / map.columns)
    }
  }

  /// Squares, 9 wide so that the round stroke around them makes them 11.
  private func squares(_ cells: [YearMap.Cell]) -> String {
    cells.map { "M\($0.column * Self.step + 1) \($0.row * Self.step + 1)h9v9h-9z" }.joined()
  }

  /// A line through the centre of each cell.
  private func lines(_ cells: [YearMap.Cell]) -> String {
    cells.map { "M\($0.column * Self.step + 2) \($0.row * Self.step + 5)h7" }.joined()
  }

  static let fields: [String: Field<YearView>] = [
    "year": .text { String($0.map.year) },
    "days_done": .integer { $0.map.daysDone },
    "days_in_all": .integer { $0.map.daysInAll },
    "width": .integer { $0.map.columns * step - 2 },
    "done": .text { $0.squares($0.map.done) },
    "missed": .text { $0.squares($0.map.missed) },
    "paused": .text { $0.lines($0.map.paused) },
    "labels": .list { $0.labels },
    "months": .list { $0.months },
    "others": .list { $0.others },
  ]
}

/// The name of a month below the map.
struct YearLabelView: View {
  let text: String
  /// The distance from the left edge, in percent.
  let percent: Int

  static let fields: [String: Field<YearLabelView>] = [
    "text": .text { $0.text },
    "percent": .integer { min($0.percent, 100) },
    // A label that begins close to the right edge is aligned to its end.
    "last": .flag { $0.percent > 90 },
  ]
}

struct MonthSumView: View {
  let sum: YearMap.MonthSum
  let name: String

  static let fields: [String: Field<MonthSumView>] = [
    "name": .text { $0.name },
    "link": .text { CheckInLinks.history($0.sum.month) },
    "checked_in": .text { String($0.sum.checkedIn) },
    "missed": .text { String($0.sum.missed) },
    "paused": .text { String($0.sum.paused) },
  ]
}

/// The link to another year: to the last of its months that has content.
struct YearLinkView: View {
  let year: Int
  let months: ClosedRange<Month>

  private var link: String {
    let december = LocalDay(year: year, month: 12, day: 1).map { Month($0) } ?? months.upperBound
    return CheckInLinks.history(min(december, months.upperBound))
  }

  static let fields: [String: Field<YearLinkView>] = [
    "year": .text { String($0.year) },
    "link": .text { $0.link },
  ]
}
