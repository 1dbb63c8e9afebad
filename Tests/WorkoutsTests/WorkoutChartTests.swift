import Core
import Testing

@testable import Workouts

@Suite("The charts of a workout")
struct WorkoutChartTests {
  private func chart(_ values: [Double?], seconds: Int = 0) throws -> WorkoutChart {
    try #require(WorkoutChart(values, seconds: seconds))
  }

  @Test("Where nothing was measured there is no chart")
  func nothing() {
    #expect(WorkoutChart([], seconds: 100) == nil)
    #expect(WorkoutChart([nil, nil, nil], seconds: 3) == nil)
  }

  @Test("The line breaks where nothing was measured, and the area with it")
  func gaps() throws {
    let chart = try chart([100, 110, nil, nil, 120, 100])
    #expect(chart.line == "M50 200 150 100M450 0 550 200")
    #expect(chart.area == "M50 240 50 200 150 100 150 240zM450 240 450 0 550 200 550 240z")
  }

  @Test("One sample is a point that can be seen, with nothing below it")
  func one() throws {
    let chart = try chart([142])
    #expect(chart.line == "M300 120h0" && chart.area.isEmpty)
    #expect(chart.peakPercent == 50 && chart.peakDepth == 120)
    #expect(try self.chart([nil, 90, nil]).line == "M300 120h0")
  }

  @Test("A flat line lies in the middle, one of nothing but zeros at the bottom")
  func flat() throws {
    let chart = try chart([150, 150])
    #expect(chart.scale.lines == [149, 150, 151])
    #expect(chart.line == "M150 120 450 120")
    #expect(try self.chart([0, 0]).line == "M150 240 450 240")
    #expect(try self.chart([0, 0]).scale.lines == [0, 1, 2])
  }

  @Test("The ring is on the line, at the first of the largest values")
  func peak() throws {
    let values: [Double?] = (0..<3000).map { $0 == 1501 ? 400 : 150 }
    let chart = try chart(values)
    #expect(chart.peakPercent == 50.3 && chart.peakDepth == 0)
    #expect(chart.line.contains("302 0 "))
    #expect(try self.chart([1, 5, 5]).peakPercent == 50)
  }

  @Test("A day of seconds is drawn with no more points than two and a half minutes")
  func day() throws {
    let day = (0..<86_400).map { Double?(100 + Double($0 % 97)) }
    let chart = try chart(day)
    #expect(chart.line.split(separator: " ").count == 2 * WorkoutChart.maximumPoints)
    #expect(chart.line.utf8.count < 1500)
  }

  @Test("Values beyond all measure keep to the drawing", arguments: [3000.0, 1e6, 1e12])
  func huge(value: Double) throws {
    let chart = try chart([0, value, value / 2])
    #expect(2...4 ~= chart.scale.lines.count)
    #expect(chart.scale.high >= value && chart.peakDepth >= 0)
    for number in chart.line.matches(of: /-?\d+/) {
      #expect(0...WorkoutChart.width ~= Int(number.output) ?? -1)
    }
  }

  @Test("Charts of one workout share their time, however long each was measured")
  func time() throws {
    let short = try chart([100, 100], seconds: 200)
    #expect(short.line == "M2 120 6 120")
    #expect(short.peakPercent < 1)
  }

  @Test("Aims are lines from stage to stage, joined where one follows the other")
  func aims() throws {
    let aims = [
      WorkoutChart.TrainingGoal(from: 0, to: 10, value: 100), .init(from: 10, to: 20, value: 200),
      .init(from: 30, to: 90, value: 150), .init(from: 90, to: 100, value: 300),
    ]
    let values = [Double?](repeating: 150, count: 40)
    let chart = try #require(WorkoutChart(values, seconds: 40, aims: aims))
    #expect(chart.scale.lines == [100, 150, 200])
    #expect(chart.target == "M0 200H150V0H300M450 100H600")
    #expect(try #require(WorkoutChart([150], seconds: 1)).target.isEmpty)
  }

  @Test("A chart has two to four lines between its edges, and all values in it")
  func scale() {
    var chance = SeededRandom(7)
    for _ in 0..<2000 {
      let low = Double.random(in: 0...3000, using: &chance)
      let high = low + Double.random(in: 0...1, using: &chance) * Double.random(in: 0...3000)
      let scale = ChartScale(low...high)
      #expect(2...4 ~= scale.lines.count && scale.low <= low && scale.high >= high)
      #expect(scale.lines.allSatisfy { scale.low...scale.high ~= $0 })
      #expect(scale.low >= 0)
    }
  }

  @Test(
    "The times below are few and whole",
    arguments: [
      (1, ChartTimes.Unit.seconds, [0, 1]), (45, .seconds, [0, 10, 20, 30, 40]),
      (1800, .minutes, [0, 10, 20, 30]), (3600, .minutes, [0, 15, 30, 45, 60]),
      (10_799, .minutes, [0, 60, 120]), (86_400, .hours, [0, 6, 12, 18, 24]),
    ])
  func times(seconds: Int, unit: ChartTimes.Unit, marks: [Int]) {
    let times = ChartTimes(seconds: seconds)
    #expect(times.unit == unit && times.marks == marks)
    #expect(marks.allSatisfy { 0...100 ~= times.percent(of: $0) })
  }
}

@Suite("Zones of the heart rate")
struct HeartZonesTests {
  @Test("A second belongs to the zone that it has reached; nothing measured belongs to none")
  func zones() {
    let zones = HeartZones(highest: 200)
    #expect(zones.lowerBounds == [120, 140, 160, 180] && zones.isMeasured)
    #expect(
      zones.seconds(in: [20, 119, 120, 139.9, 140, 160, 179, 180, 250], until: 9)
        == [2, 2, 1, 2, 2])
    #expect(zones.seconds(in: [], until: 60) == [0, 0, 0, 0, 0])
  }

  @Test("A point every five seconds counts for five seconds, and the sum is the duration")
  func sparse() {
    var rates = [Double?](repeating: nil, count: 1801)
    for second in stride(from: 0, through: 1800, by: 5) {
      rates[second] = second < 600 ? 110 : 150
    }
    let zones = HeartZones(highest: 200)
    #expect(zones.seconds(in: rates, until: 1800) == [600, 0, 1200, 0, 0])
  }

  @Test("A value counts for at most half a minute when none follows")
  func gaps() {
    let rates: [Double?] = [110] + [Double?](repeating: nil, count: 99) + [150]
    #expect(HeartZones(highest: 200).seconds(in: rates, until: 900) == [30, 0, 30, 0, 0])
    #expect(HeartZones(highest: 200).seconds(in: rates, until: 50) == [30, 0, 0, 0, 0])
  }

  @Test("An impossible maximum does not set the zones", arguments: [nil, 0, 142, 159, 221])
  func assumed(highest: Double?) {
    let zones = HeartZones(highest: highest)
    #expect(zones.highest == 190 && !zones.isMeasured)
    #expect(zones.lowerBounds == [114, 133, 152, 171])
  }
}

@Suite("Sums of days, weeks and months")
struct WorkoutSpansTests {
  /// 2026-03-02, a Monday.
  private let today = LocalDay(number: 20_514)

  private func sum(_ daysAgo: Int, seconds: Int64 = 60) -> WorkoutHistoryStore.DaySum {
    WorkoutHistoryStore.DaySum(
      day: today.adding(days: -daysAgo),
      totals: WorkoutTotals(
        count: 1, energy: .zero, distance: .zero, duration: FixedPoint3(count: seconds * 1000)))
  }

  @Test("The last seven days end with today, empty ones too")
  func days() {
    let days = WorkoutSpans([sum(7), sum(6), sum(0)], today: today).lastDays
    #expect(days.map(\.totals.count) == [1, 0, 0, 0, 0, 0, 1])
    #expect(days.last?.first == today)
  }

  @Test("Weeks begin on Monday, and those before the first workout are left out")
  func weeks() {
    let weeks = WorkoutSpans([sum(15), sum(8), sum(7), sum(1), sum(0)], today: today).lastWeeks
    #expect(weeks.map(\.totals.count) == [1, 2, 1, 1])
    #expect(weeks.first?.first == today && weeks.last?.first == today.adding(days: -21))
    #expect(WorkoutSpans([], today: today).lastWeeks == [])
  }

  @Test("Months are those of the calendar")
  func months() {
    let months = WorkoutSpans([sum(60), sum(30), sum(2), sum(1)], today: today).lastMonths
    #expect(months.map { $0.first.description } == ["2026-03-01", "2026-02-01", "2026-01-01"])
    #expect(months.map(\.totals.count) == [1, 1, 2])
  }

  @Test("All results are after the first requested day")
  func first() {
    for number in 20_000..<20_800 {
      let today = LocalDay(number: number)
      let first = WorkoutSpans.first(today: today)
      let spans = WorkoutSpans(
        [.init(day: first, totals: sum(0).totals)], today: today)
      #expect(spans.lastMonths.count == 12 || spans.lastWeeks.count == 12)
      #expect(today.days(since: first) <= 366)
    }
  }
}
