import Core
import Templates
import Web
import WorkoutFiles

/// The content of `/workouts`.
struct WorkoutHistoryView: View {
  let sums: WorkoutSumsView?
  let months: [WorkoutMonthView]
  let older: String?
  let isEmpty: Bool
  let isNoneOfKind: Bool
  let kinds: [WorkoutKindView]
  /// The partner's name; nil without one.
  let partner: String?
  /// Whether the viewer lets the partner see their workouts.
  let isShared: Bool
  /// Whether the partner lets the viewer see their workouts.
  let isPartnerShown: Bool

  static let fields: [String: Field<WorkoutHistoryView>] = [
    "empty": .flag { $0.isEmpty },
    "none_of_kind": .flag { $0.isNoneOfKind },
    "kinds": .list { $0.kinds },
    "sums": .optional { $0.sums },
    "months": .list { $0.months },
    "older": .optionalText { $0.older },
    "partner": .optionalText { $0.partner },
    "shared": .flag { $0.isShared },
    "partner_link": .optionalText { $0.isPartnerShown ? WorkoutLinks.partner : nil },
    "sharing_link": .text { _ in WorkoutLinks.sharing },
    "history_link": .text { _ in WorkoutLinks.history },
    "record_link": .text { _ in WorkoutLinks.record },
    "add_link": .text { _ in WorkoutLinks.add },
    "import_link": .text { _ in WorkoutLinks.importing },
    "export_link": .text { _ in WorkoutLinks.exportAll },
  ]
}

/// A choice of the list's filter: all workouts, or those on one machine.
struct WorkoutKindView: View {
  let name: String
  let link: String
  let isChosen: Bool

  static func all(chosen: Machine?, _ formatter: WorkoutFormatter) -> [WorkoutKindView] {
    [nil, .bike, .rower, .other].map { machine in
      WorkoutKindView(
        name: machine.map(formatter.kind) ?? formatter.context.text("workout.kind_all"),
        link: WorkoutLinks.history(on: machine), isChosen: machine == chosen)
    }
  }

  static let fields: [String: Field<WorkoutKindView>] = [
    "name": .text { $0.name },
    "link": .text { $0.link },
    "chosen": .flag { $0.isChosen },
  ]
}

/// A number with its unit, or two of them: "62 h 10 min".
struct FigureView: View {
  let label: String
  let parts: [QuantityView]

  init(_ label: String, _ parts: [WorkoutFormatter.Quantity]) {
    self.label = label
    self.parts = parts.map(QuantityView.init)
  }

  static let fields: [String: Field<FigureView>] = [
    "label": .text { $0.label },
    "parts": .list { $0.parts },
  ]
}

struct QuantityView: View {
  let quantity: WorkoutFormatter.Quantity

  static let fields: [String: Field<QuantityView>] = [
    "value": .text { $0.quantity.value },
    "unit": .text { $0.quantity.unit },
  ]
}

/// The workouts of a month on one page of the list.
struct WorkoutMonthView: View {
  let id: String
  let name: String
  let workouts: [WorkoutRowView]

  /// Groups workouts by month; newest first.
  static func all(
    _ workouts: [Workout], _ names: [ID<FollowedTraining>: String], _ formatter: WorkoutFormatter,
    link: (ID<Workout>) -> String = WorkoutLinks.one
  ) -> [WorkoutMonthView] {
    var months: [WorkoutMonthView] = []
    var rows: [WorkoutRowView] = []
    for (place, workout) in workouts.enumerated() {
      rows.append(WorkoutRowView(workout, names, formatter, link: link(workout.id)))
      let month = formatter.day(of: workout).components
      let next =
        place + 1 < workouts.count ? formatter.day(of: workouts[place + 1]).components : nil
      if let next, next.year == month.year, next.month == month.month { continue }
      months.append(
        WorkoutMonthView(
          id: "m\(month.year)-\(month.month)",
          name: formatter.when.month(of: formatter.day(of: workout)), workouts: rows))
      rows = []
    }
    return months
  }

  static let fields: [String: Field<WorkoutMonthView>] = [
    "id": .text { $0.id },
    "name": .text { $0.name },
    "workouts": .list { $0.workouts },
  ]
}

/// A workout in the list.
struct WorkoutRowView: View {
  let workout: Workout
  let link: String
  let title: String
  let moment: String
  let time: String
  let figure: String?
  let pace: String?

  init(
    _ workout: Workout, _ names: [ID<FollowedTraining>: String], _ formatter: WorkoutFormatter,
    link: String
  ) {
    self.workout = workout
    self.link = link
    title = formatter.title(workout, names)
    moment = formatter.shortMoment(workout)
    time = formatter.clock(workout.content.duration)
    figure = formatter.main(workout.content)?.text
    pace = formatter.pace(workout.content)?.text
  }

  /// The name of the machine's icon.
  static func icon(_ machine: Machine) -> String {
    switch machine {
    case .bike: "bike"
    case .rower: "rower"
    case .other: "clock"
    }
  }

  static let fields: [String: Field<WorkoutRowView>] = [
    "session": .text { $0.workout.content.clientSessionID.description },
    "link": .text { $0.link },
    "icon": .text { WorkoutRowView.icon($0.workout.content.machine) },
    "rower": .flag { $0.workout.content.machine == .rower },
    "title": .text { $0.title },
    "moment": .text { $0.moment },
    "time": .text { $0.time },
    "figure": .optionalText { $0.figure },
    "pace": .optionalText { $0.pace },
  ]
}
