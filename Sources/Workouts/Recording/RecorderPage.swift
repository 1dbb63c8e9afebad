import Core
import Templates
import Web

/// `/workouts/record`: where a workout is recorded. All of it happens in the browser, so this page
/// has nothing of anybody's on it but whose it is; the one that opens without a network is the same
/// (docs/developer/workouts.md#record).
struct RecorderPage {
  private let page: Template<RecorderView>

  init(site: AppEnvironment) throws {
    page = try site.templates.template("workouts/record")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    _ = try context.signedIn()
    let view = RecorderView(page: PageView(context, title: "record.title"))
    return .html(page.render(view, in: context.language))
  }

  var routes: [Route] {
    [Route(.get, RecorderLinks.page, .atLeast(.guest), handler: show)]
  }
}

/// The addresses of recording.
public enum RecorderLinks {
  public static let page = "/workouts/record"
  /// The page that opens without a network, without the language.
  public static let shell = "\(page)/offline"

  /// The page with a training chosen already.
  public static func one(_ training: ID<Training>) -> String { "\(page)?training=\(training)" }
}

private struct RecorderView: View {
  let page: PageView

  static let fields: [String: Field<RecorderView>] = ["page": .child { $0.page }]
}
