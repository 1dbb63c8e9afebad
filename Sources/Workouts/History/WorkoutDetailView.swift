import Core
import Templates
import Web
import WorkoutFiles

/// The data of a workout's page.
struct WorkoutDetails {
  let workout: Workout
  let samples: RecordedSamples
  /// The training that was followed, if it is published.
  var training: FollowedTraining?
  let zones: HeartZones

  var content: WorkoutContent { workout.content }

  /// The time range common to all charts, in s: from start to end, as far as there are samples.
  var seconds: Int { samples.count }

  /// The targets of the training. The position of a pause is unknown, so after one the targets
  /// would be misplaced; they are then left out.
  func aims(_ kind: ChartKind) -> [WorkoutChart.TrainingGoal] {
    guard content.paused ?? .zero == .zero, let training else { return [] }
    return kind.aims(training.stages)
  }

  func average(_ kind: ChartKind) -> Double? {
    kind.average(content.figures) ?? samples.figures(kind.samples)?.mean
  }

  func maximum(_ kind: ChartKind) -> Double? {
    kind.maximum(content.figures) ?? samples.figures(kind.samples)?.largest
  }
}

/// `/workouts/{id}`, and the page that the partner sees of it.
struct WorkoutDetailView: View {
  let workout: Workout
  let mayShare: Bool
  /// The partner whose workout it is, and whether the viewer cheered; nil for the viewer's own.
  let owner: (name: String, isCheered: Bool)?
  /// The partner who cheered for the viewer's workout.
  let cheerer: String?
  let title: String
  let moment: String
  let training: String?
  let source: String?
  let figures: [FigureView]
  let charts: [WorkoutChartView]
  let zones: HeartZonesView?
  let table: WorkoutTableView?

  init(
    _ details: WorkoutDetails, _ context: Context, owner: (name: String, isCheered: Bool)? = nil,
    cheerer: String? = nil
  ) {
    self.owner = owner
    self.cheerer = cheerer
    let formatter = WorkoutFormatter(context)
    let content = details.content
    let name = details.training.map { [$0.id: $0.name] } ?? [:]
    workout = details.workout
    mayShare = context.viewer?.mayPost ?? false
    title = formatter.title(workout, name)
    moment = "\(formatter.longMoment(workout)) · \(formatter.machine(content.machine))"
    training = details.training?.link
    source =
      switch content.source {
      case .recorded: nil
      case .entered: context.text("workout.source_manual")
      case .file: context.text("workout.source_file")
      }
    charts = ChartKind.allCases.compactMap { WorkoutChartView($0, details, formatter) }
    figures = Self.figures(details, charted: Set(charts.map(\.kind)), formatter)
    zones = HeartZonesView(details, formatter)
    table = WorkoutTableView(details, formatter)
  }

  /// The figures above the charts, and those that no chart shows.
  private static func figures(
    _ details: WorkoutDetails, charted: Set<ChartKind>, _ formatter: WorkoutFormatter
  ) -> [FigureView] {
    let (content, context) = (details.content, formatter.context)
    var figures = [
      FigureView(
        context.text("workout.total_time"),
        [.init(value: formatter.clock(content.duration), unit: "")])
    ]
    if content.distance > .zero {
      figures.append(
        FigureView(context.text("workout.total_distance"), [formatter.distance(content.distance)]))
    }
    if let pace = formatter.pace(content) {
      figures.append(FigureView(context.text("workout.pace"), [pace]))
    }
    if content.energy > .zero {
      figures.append(
        FigureView(context.text("workout.total_energy"), [formatter.energy(content.energy)]))
    }
    for kind in ChartKind.allCases where kind == .speed || !charted.contains(kind) {
      guard let average = details.average(kind) else { continue }
      figures.append(
        FigureView(
          context.text("workout.average", ["what": context.text(kind.titleKey).lowercased()]),
          [formatter.measure(average, kind, on: content.machine)]))
    }
    if let paused = content.paused, paused > .zero {
      figures.append(
        FigureView(
          context.text("workout.paused"), [.init(value: formatter.clock(paused), unit: "")]))
    }
    return figures
  }

  static let fields: [String: Field<WorkoutDetailView>] = [
    "session": .text { $0.workout.content.clientSessionID.description },
    "title": .text { $0.title },
    "moment": .text { $0.moment },
    "training": .optionalText { $0.training },
    "source": .optionalText { $0.source },
    "figures": .list { $0.figures },
    "charts": .list { $0.charts },
    "zones": .optional { $0.zones },
    "table": .optional { $0.table },
    "own": .flag { $0.owner == nil },
    "partner": .optionalText { $0.owner?.name },
    "cheered": .flag { $0.owner?.isCheered ?? false },
    "cheerer": .optionalText { $0.cheerer },
    "cheer_action": .text { WorkoutLinks.cheer($0.workout.id) },
    "history_link": .text {
      $0.owner == nil ? WorkoutLinks.history : WorkoutLinks.partner
    },
    "tcx_link": .text { WorkoutLinks.tcx($0.workout.id) },
    "csv_link": .text { WorkoutLinks.csv($0.workout.id) },
    "note": .optionalText { $0.workout.note.isEmpty ? nil : $0.workout.note },
    "share_link": .optionalText { $0.mayShare ? WorkoutLinks.share($0.workout.id) : nil },
    "edit_link": .text { WorkoutLinks.edit($0.workout.id) },
    "delete_link": .text { WorkoutLinks.delete($0.workout.id) },
  ]
}
