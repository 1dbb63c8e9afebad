import Core
import Templates
import Web
import Workouts

/// The pages that the service worker keeps, made for nobody in particular, and the list by which it
/// knows them (docs/developer/javascript.md#the-browsers-half).
///
/// Each stands under an address a language, so that what a browser keeps depends on nothing but its
/// address. A feature whose page works without a network adds a line to `shells`.
struct ShellPages: Sendable {
  /// A page that stands in for another one while the server can't be reached.
  private struct Shell: Sendable {
    /// The path that it stands in for, in which ":id" is any identifier; nil for every path that
    /// has no shell of its own.
    let path: String?
    /// Its own address, without the language.
    let address: String
    let template: String
    let titleKey: String
    /// How long the worker waits for the server's page, in s; nil for as long as the browser does.
    let timeout: Int?
    /// Further paths that it stands in for.
    var others: [String] = []
    /// The sheet of its own that it links beside the one that all share; nil for none.
    var sheet: String?
  }

  private static let shells = [
    Shell(
      path: "/checkin", address: "/checkin/offline", template: "checkin/offline",
      titleKey: "checkin.title", timeout: 8, sheet: "checkin"),
    Shell(
      path: RecorderLinks.page, address: RecorderLinks.shell, template: "workouts/record-offline",
      titleKey: "record.title", timeout: 8, sheet: "recorder"),
    Shell(
      path: "/workouts", address: "/workouts/offline", template: "workouts/offline",
      titleKey: "workout.title", timeout: 8, sheet: "workouts"),
    Shell(
      path: "/workouts/:id", address: "/workouts/kept", template: "workouts/kept",
      titleKey: "workout.title", timeout: 8, others: ["/workouts/kept"], sheet: "workout"),
    Shell(
      path: "/workouts/trainings", address: "/workouts/trainings/offline",
      template: "workouts/trainings-offline", titleKey: "training.title", timeout: 8,
      others: ["/workouts/trainings/:id"], sheet: "trainings"),
    Shell(
      path: nil, address: "/offline", template: "pages/offline", titleKey: "shell.offline_title",
      timeout: nil),
  ]

  private let site: AppEnvironment
  private let assets: Assets

  init(site: AppEnvironment, assets: Assets) {
    self.site = site
    self.assets = assets
  }

  /// Throws when a shell's template doesn't compile.
  func routes() throws -> [Route] {
    let list = Route(.get, "/shells.json", .anyone, handler: list)
    return try [list] + Self.shells.flatMap(routes(of:))
  }

  private func routes(of shell: Shell) throws -> [Route] {
    let template = try site.templates.template(shell.template, ShellView.self)
    let page: @Sendable (Language, Context) -> Response = { language, context in
      let page = PageView(forNobody: context, title: shell.titleKey, language: language)
      return .html(template.render(ShellView(page: page), in: language))
    }
    return [
      // Without a language it speaks the reader's.
      Route(.get, shell.address, .anyone) { _, context in page(context.language, context) },
      Route(.get, "\(shell.address)/:language", .anyone) { _, context in
        guard let language = context.parameters["language"].flatMap(Language.init(rawValue:))
        else { throw Problem.notFound }
        return page(language, context)
      },
    ]
  }

  /// What the worker keeps: the version, its files, and its pages by the path that they stand for.
  @Sendable private func list(_ request: Request, _ context: Context) -> Response {
    let (hash, names) = assets.current
    let sheets = Set(Self.shells.compactMap(\.sheet)).sorted().map { "css/\($0).css" }
    let files = (names + sheets).map { JSONStringWriter.quoted("/assets/\(hash)/\($0)") }
    let shells = Self.shells.flatMap(entries(of:))
    let body =
      "{\"version\":\(JSONStringWriter.quoted(hash)),\"files\":[\(files.joined(separator: ","))],"
      + "\"shells\":[\(shells.joined(separator: ","))]}"
    return .json(Array(body.utf8))
  }

  private func entries(of shell: Shell) -> [String] {
    let pages = Language.allCases.map {
      "\(JSONStringWriter.quoted($0.rawValue)):\(JSONStringWriter.quoted("\(shell.address)/\($0.rawValue)"))"
    }.joined(separator: ",")
    let timeout = shell.timeout.map(String.init) ?? "null"
    let paths = shell.path.map { [$0] + shell.others } ?? []
    // The one for all other paths has none.
    return (paths.isEmpty ? ["null"] : paths.map(JSONStringWriter.quoted)).map { path in
      "{\"path\":\(path),\"patience\":\(timeout),\"pages\":{\(pages)}}"
    }
  }
}

private struct ShellView: View {
  let page: PageView

  static let fields: [String: Field<ShellView>] = [
    "page": .child { $0.page },
    // The places of what scripts fill in (public/js/checkin-shell.js).
    "name": .text { _ in "#" },
    "weekday": .text { _ in "{weekday}" },
    "day": .text { _ in "{day}" },
  ]
}
