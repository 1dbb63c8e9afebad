import HTTPTypes
import Templates
import Web

/// `POST /posts`: creates a post from text and pictures, once. On errors it shows the form again
/// with the text and the valid pictures.
struct ComposePages {
  private let services: FeedEnvironment
  private let page: Page<ComposeView>

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/compose", title: "compose.title", in: services.site)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let service = NewPostService(services: services)
    let sent = try NewPostForm(context.form, viewer: viewer, drafts: services.drafts)
    switch try service.post(sent, by: viewer, context) {
    case .posted(let location):
      context.setCookie("visibility", sent.visibility.rawValue, maxAge: .days(365))
      return posted(location, context)
    case .answered(let location): return posted(location, context)
    case .wrong(let sent): return again(sent, context)
    }
  }

  /// Shows the feed, where the new post is the first, with a link to the post.
  private func posted(_ location: String, _ context: Context) -> Response {
    context.flash("toast.posted", link: (location, "toast.posted_link"))
    return .seeOther(FeedLinks.feed(after: nil))
  }

  private func again(_ sent: NewPostForm, _ context: Context) -> Response {
    let view = ComposeView(composer: sent.view(context))
    let busy = sent.isBusy ? .serviceUnavailable : sent.failed.status
    let ours = sent.retryAfter != nil ? .tooManyRequests : busy
    var response = page.response(view, context, status: ours ?? .unprocessableContent)
    if ours == .serviceUnavailable { response.headers[.retryAfter] = "5" }
    if let wait = sent.retryAfter { response.headers[.retryAfter] = String(wait) }
    return response
  }
}

struct ComposeView: View {
  let composer: ComposerView

  static let fields: [String: Field<ComposeView>] = [
    "composer": .child { $0.composer }
  ]
}
