import Core
import Templates
import Web
import WorkoutFiles

/// One chart with its labels.
struct WorkoutChartView: View {
  let kind: ChartKind
  let chart: WorkoutChart
  let title: String
  let average: String
  let unit: String
  let maximum: String
  let lines: [ChartMarkView]
  let times: [ChartMarkView]

  /// Nil if no value of this kind was measured.
  init?(_ kind: ChartKind, _ details: WorkoutDetails, _ formatter: WorkoutFormatter) {
    let machine = details.content.machine
    guard
      let chart = WorkoutChart(
        details.samples[kind.samples].map { $0.map { formatter.shown($0, kind) } },
        seconds: details.seconds, aims: details.aims(kind)),
      let average = details.average(kind), let maximum = details.maximum(kind)
    else { return nil }
    self.kind = kind
    self.chart = chart
    title = formatter.context.text(kind.titleKey)
    self.average = WorkoutFormatter.number(
      formatter.shown(average, kind), decimals: kind.decimals)
    self.maximum = WorkoutFormatter.number(
      formatter.shown(maximum, kind), decimals: kind.decimals)
    unit = formatter.context.text(formatter.unit(of: kind, on: machine))
    lines = chart.scale.lines.map { value in
      let depth = chart.scale.depth(of: value, height: WorkoutChart.height)
      return ChartMarkView(place: Self.pixels(depth), text: WorkoutFormatter.number(value))
    }
    times = ChartMarkView.times(ChartTimes(seconds: details.seconds), formatter)
  }

  /// The drawing is shown at half the height of its own units.
  static func pixels(_ depth: Int) -> String { depth % 2 == 0 ? "\(depth / 2)" : "\(depth / 2).5" }

  /// The grid lines, from edge to edge.
  private var grid: String {
    chart.scale.lines.map { value in
      "M0 \(chart.scale.depth(of: value, height: WorkoutChart.height))h\(WorkoutChart.width)"
    }.joined()
  }

  static let fields: [String: Field<WorkoutChartView>] = [
    "kind": .text { $0.kind.rawValue },
    "title": .text { $0.title },
    "average": .text { $0.average },
    "maximum": .text { $0.maximum },
    "unit": .text { $0.unit },
    "width": .integer { _ in WorkoutChart.width },
    "height": .integer { _ in WorkoutChart.height },
    "grid": .text { $0.grid },
    "line": .text { $0.chart.line },
    "area": .text { $0.chart.area },
    "target": .text { $0.chart.target },
    "peak_x": .text { String($0.chart.peakPercent) },
    "peak_y": .text { WorkoutChartView.pixels($0.chart.peakDepth) },
    "lines": .list { $0.lines },
    "times": .list { $0.times },
  ]
}

/// A mark of a scale.
struct ChartMarkView: View {
  let place: String
  let text: String
  var isFirst = false
  var isLast = false

  static func times(_ times: ChartTimes, _ formatter: WorkoutFormatter) -> [ChartMarkView] {
    times.marks.enumerated().map { index, mark in
      let isLast = index == times.marks.count - 1
      let unit =
        switch times.unit {
        case .seconds: "unit.s"
        case .minutes: "unit.min"
        case .hours: "unit.h"
        }
      // The unit is shown once, with the last mark.
      let text = isLast && index > 0 ? "\(mark) \(formatter.context.text(unit))" : String(mark)
      let percent = times.percent(of: mark)
      return ChartMarkView(
        place: String(percent), text: text, isFirst: index == 0, isLast: percent > 88)
    }
  }

  static let fields: [String: Field<ChartMarkView>] = [
    "place": .text { $0.place },
    "text": .text { $0.text },
    "first": .flag { $0.isFirst },
    "last": .flag { $0.isLast },
  ]
}

/// The time in each heart rate zone, and the definition of the zones.
struct HeartZonesView: View {
  struct Zone: View {
    let number: Int
    let name: String
    let beats: String
    let time: String
    /// Percent of the longest time.
    let percent: Int

    static let fields: [String: Field<Zone>] = [
      "number": .integer { $0.number },
      "name": .text { $0.name },
      "beats": .text { $0.beats },
      "time": .text { $0.time },
      "percent": .integer { $0.percent },
    ]
  }

  let zones: [Zone]
  let rule: String

  /// Nil if no heart rate was measured.
  init?(_ details: WorkoutDetails, _ formatter: WorkoutFormatter) {
    let context = formatter.context
    let seconds = details.zones.seconds(
      in: details.samples[.heartRate],
      until: Int(details.content.endedAt.seconds(since: details.content.startedAt)))
    guard let longest = seconds.max(), longest > 0 else { return nil }
    let names = [
      "workout.zone_1", "workout.zone_2", "workout.zone_3", "workout.zone_4", "workout.zone_5",
    ]
    let lowerBounds = details.zones.lowerBounds
    zones = seconds.indices.map { place in
      let beats =
        switch place {
        case 0: context.text("workout.zone_below", ["beats": String(lowerBounds[0])])
        case HeartZones.count - 1:
          context.text("workout.zone_above", ["beats": String(lowerBounds[place - 1])])
        default: "\(lowerBounds[place - 1])–\(lowerBounds[place] - 1)"
        }
      return Zone(
        number: place + 1, name: context.text(names[place]), beats: beats,
        time: DurationFormatter.clock(seconds[place]),
        // Even a very short time in a zone is visible.
        percent: seconds[place] > 0 ? max(2, seconds[place] * 100 / longest) : 0)
    }
    rule = context.text(
      details.zones.isMeasured ? "workout.zones_measured" : "workout.zones_assumed",
      ["beats": String(details.zones.highest)])
  }

  static let fields: [String: Field<HeartZonesView>] = [
    "zones": .list { $0.zones },
    "rule": .text { $0.rule },
  ]
}

/// The data of the charts as a table.
struct WorkoutTableView: View {
  struct Cell: View {
    let text: String

    static let fields: [String: Field<Cell>] = ["text": .text { $0.text }]
  }

  struct Line: View {
    let time: String
    let cells: [Cell]

    static let fields: [String: Field<Line>] = [
      "time": .text { $0.time },
      "cells": .list { $0.cells },
    ]
  }

  private static let maximumLines = 20
  /// The possible durations of a row, in s.
  private static let steps = [1, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200]

  let heads: [Cell]
  let lines: [Line]

  /// Nil without samples.
  init?(_ details: WorkoutDetails, _ formatter: WorkoutFormatter) {
    let kinds = ChartKind.allCases.filter { !details.samples[$0.samples].isEmpty }
    guard !kinds.isEmpty else { return nil }
    let (seconds, machine) = (details.seconds, details.content.machine)
    heads = kinds.map { kind in
      let unit = formatter.context.text(formatter.unit(of: kind, on: machine))
      return Cell(text: "\(formatter.context.text(kind.titleKey)), \(unit)")
    }
    let step = Self.steps.first { seconds <= $0 * Self.maximumLines } ?? 7200
    lines = stride(from: 0, to: seconds, by: step).map { start in
      Line(
        time: DurationFormatter.clock(start),
        cells: kinds.map { kind in
          let part = details.samples[kind.samples][start..<min(seconds, start + step)]
          let mean = ChartPoints.mean(part)
          return Cell(
            text: mean.map {
              WorkoutFormatter.number(formatter.shown($0, kind), decimals: kind.decimals)
            } ?? "–")
        })
    }
  }

  static let fields: [String: Field<WorkoutTableView>] = [
    "heads": .list { $0.heads },
    "rows": .list { $0.lines },
  ]
}
