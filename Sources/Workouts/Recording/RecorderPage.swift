import Core
import Templates
import Web

/// `/workouts/record`: the workout recorder. Recording happens in the browser, so this page
/// contains no user data except the viewer's identity; the offline page is the same
/// (docs/developer/workouts.md#record).
struct RecorderPage {
  private let page: Template<RecorderView>

  init(site: AppEnvironment) throws {
    page = try site.templates.template("workouts/record")
  }

  @Sendable func show(_ context: Context) throws -> Response {
    _ = try context.signedIn()
    let view = RecorderView(page: PageView(context, title: "record.title"))
    return .html(page.render(view, in: context.language))
  }

  var routes: [Route] {
    [Route(.get, RecorderLinks.page, .atLeast(.guest), handler: show)]
  }
}

/// The addresses of the recorder.
public enum RecorderLinks {
  public static let page = "/workouts/record"
  /// The offline page, without the language.
  public static let shell = "\(page)/offline"

  /// The page with a training selected.
  public static func one(_ training: ID<FollowedTraining>) -> String {
    "\(page)?training=\(training)"
  }
}

private struct RecorderView: View {
  let page: PageView

  static let fields: [String: Field<RecorderView>] = ["page": .child { $0.page }]
}
