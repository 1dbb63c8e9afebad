import Core
import Templates
import Web
import Workouts

/// The pages that the service worker caches, made for no particular viewer, and their list
/// (docs/developer/javascript.md#the-browsers-half).
///
/// Each has one address per language, so that a cached page depends on its address alone. A feature
/// whose page works offline adds a line to `shells`.
struct ShellPages: Sendable {
  /// A page that replaces another one while the server can't be reached.
  private struct Shell: Sendable {
    /// The path that it replaces, in which ":id" is any identifier; nil for every path without a
    /// shell of its own.
    let path: String?
    /// Its own address, without the language.
    let address: String
    let template: String
    let titleKey: String
    /// How long the worker waits for the server's page, in s; nil for the browser's own timeout.
    let timeout: Int?
    /// Further paths that it replaces.
    var others: [String] = []
    /// Its own style sheet besides the common one; nil for none.
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
      path: "/workouts/:id", address: "/workouts/kept", template: "workouts/local-copies",
      titleKey: "workout.title", timeout: 8, others: ["/workouts/kept"], sheet: "workout"),
    Shell(
      path: "/workouts/trainings", address: "/workouts/trainings/offline",
      template: "workouts/trainings-offline", titleKey: "training.title", timeout: 8,
      others: ["/workouts/trainings/:id"], sheet: "trainings"),
    Shell(
      path: nil, address: "/offline", template: "static/offline", titleKey: "offline.title",
      timeout: nil),
  ]

  private let site: AppEnvironment
  private let assets: Assets

  init(site: AppEnvironment, assets: Assets) {
    self.site = site
    self.assets = assets
  }

  /// Throws if a shell's template doesn't compile.
  func routes() throws -> [Route] {
    let list = Route(.get, "/shells.json", .anyone, handler: list)
    return try [list] + Self.shells.flatMap(routes(of:))
  }

  private func routes(of shell: Shell) throws -> [Route] {
    let page = try Page<ShellView>(shell.template, title: shell.titleKey, in: site)
    let answer: @Sendable (Language, Context) -> Response = { language, context in
      page.response(ShellView(), withoutViewer: context, in: language)
    }
    return [
      // Without a language it uses the viewer's.
      Route(.get, shell.address, .anyone) { context in answer(context.language, context) },
      Route(.get, "\(shell.address)/:language", .anyone) { context in
        guard let language = context.parameters["language"].flatMap(Language.init(rawValue:))
        else { throw Problem.notFound }
        return answer(language, context)
      },
    ]
  }

  /// The list for the worker: the version, its files, and its pages by the paths that they replace.
  @Sendable private func list(_ context: Context) -> Response {
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
    // The shell of all other paths has none.
    return (paths.isEmpty ? ["null"] : paths.map(JSONStringWriter.quoted)).map { path in
      "{\"path\":\(path),\"patience\":\(timeout),\"pages\":{\(pages)}}"
    }
  }
}

private struct ShellView: View {
  static let fields: [String: Field<ShellView>] = [
    // Placeholders that scripts fill in (public/js/checkin-shell.js).
    "name": .text { _ in "#" },
    "weekday": .text { _ in "{weekday}" },
    "day": .text { _ in "{day}" },
  ]
}
