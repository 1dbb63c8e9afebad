import Core
import Database
import Secrets
import Templates
import Web

/// `/checkin/signs`: what counts as a check-in besides a tap.
struct SignPages {
  private enum Button: String {
    case save
    case newPing = "new-ping"
    case removePing = "remove-ping"
  }

  private let services: CheckInEnvironment
  private let page: Page<SignsView>

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/signs", title: "signs.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try response(context, token: nil)
  }

  @Sendable func change(_ context: Context) throws -> Response {
    guard let button = Button(rawValue: context.form["button"]) else { throw Problem.badRequest }
    let person = try context.signedIn().id
    let token = button == .newPing ? Token.random() : nil
    try services.site.database.write { writer in
      try services.monitors.begin(person, language: context.language, in: writer)
      switch button {
      case .save:
        let choice = SignChoice(
          countsPosts: context.form.has("posts"), countsWorkouts: context.form.has("workouts"))
        try services.signs.save(choice, of: person, in: writer)
      case .newPing, .removePing: try services.signs.setPing(token, of: person, in: writer)
      }
    }
    // The address is shown once: only its hash is stored.
    if let token { return try response(context, token: token) }
    context.flash("toast.saved")
    return .seeOther(context.path)
  }

  private func response(_ context: Context, token: Token?) throws -> Response {
    let person = try context.signedIn().id
    let choice = try services.site.database.read {
      try services.signs.choice(of: person, in: $0)
    }
    let view = SignsView(
      choice: choice, address: token.map { services.site.baseURL + CheckInLinks.ping($0.text) })
    return page.response(view, context)
  }
}

struct SignsView: View {
  let choice: SignChoice
  /// The address for calls, shown when it was just made.
  let address: String?

  static let fields: [String: Field<SignsView>] = [
    "action": .text { _ in CheckInLinks.signs },
    "settings_link": .text { _ in CheckInLinks.settings },
    "posts": .flag { $0.choice.countsPosts },
    "workouts": .flag { $0.choice.countsWorkouts },
    "has_ping": .flag { $0.choice.hasPing },
    "address": .optionalText { $0.address },
  ]
}
