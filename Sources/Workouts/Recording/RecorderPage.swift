import Core
import Templates
import Web

/// `/workouts/record`: the workout recorder. Recording happens in the browser, so this page
/// contains no user data except the viewer's identity; the offline page is the same
/// (docs/developer/workouts.md#record).
struct RecorderPage {
  private let page: Page<EmptyContent>

  init(site: AppEnvironment) throws {
    page = try Page("workouts/record", title: "record.title", in: site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    _ = try context.signedIn()
    return page.response(EmptyContent(), context)
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
