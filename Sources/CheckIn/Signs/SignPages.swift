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
  private let questions: QuestionPage

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    page = try Page("checkin/signs", title: "signs.title", in: services.site)
    questions = try QuestionPage(in: services.site)
  }

  /// With `ask`, asks before a button is pressed that ends the existing address.
  @Sendable func show(_ context: Context) throws -> Response {
    if let question = question(context) { return questions.response(question, context) }
    return try response(context, token: nil)
  }

  private func question(_ context: Context) -> Question? {
    let ask = context.request.queryValue("ask").flatMap(Button.init(rawValue:))
    let keys: (title: String, text: String, button: String)
    switch ask {
    case .newPing:
      keys = ("signs.ping_again_title", "signs.ping_again_text", "signs.ping_again")
    case .removePing:
      keys = ("signs.ping_remove_title", "signs.ping_remove_text", "signs.ping_remove")
    case .save, nil: return nil
    }
    return Question(
      title: context.text(keys.title), text: context.text(keys.text),
      button: context.text(keys.button), action: CheckInLinks.signs,
      inputs: [("button", ask?.rawValue ?? "")], cancel: CheckInLinks.signs)
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
