import Core
import Images
import Templates
import Web

/// `/posts/{id}/pictures/{number}`: one picture of a post in full size, with description and links
/// to the previous and next one.
struct PicturePages {
  private let services: FeedEnvironment
  private let page: Page<FullPictureView>

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/picture", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let post = try PostService(services: services).seen(context.id(), by: context.viewer)
    guard
      let number = Int(context.parameters["number"] ?? "", in: 1...PostRules.maximumImages),
      number <= post.pictures.count
    else { throw Problem.notFound }
    let title = context.text("page_title.post", ["couple_name": post.coupleName])
    let view = FullPictureView(post: post, number: number, picture: post.pictures[number - 1])
    return page.response(view, context, title: .named(title))
  }
}

struct FullPictureView: View {
  let post: Post
  /// Starts at 1.
  let number: Int
  let picture: Picture

  static let fields: [String: Field<FullPictureView>] = [
    "couple_name": .text { $0.post.coupleName },
    "post_link": .text { FeedLinks.post($0.post.id) },
    "source": .text {
      FeedLinks.picture($0.picture, .original, of: $0.post.id, couple: $0.post.couple)
    },
    "alt": .text { $0.picture.description },
    "description": .optionalText {
      $0.picture.description.isEmpty ? nil : $0.picture.description
    },
    "width": .integer { $0.picture.width },
    "height": .integer { $0.picture.height },
    "number": .integer { $0.number },
    "several": .optional { view in
      view.post.pictures.count > 1 ? CountView(count: view.post.pictures.count) : nil
    },
    "before": .optionalText { view in
      view.number > 1 ? FeedLinks.picture(view.number - 1, of: view.post.id) : nil
    },
    "after": .optionalText { view in
      view.number < view.post.pictures.count
        ? FeedLinks.picture(view.number + 1, of: view.post.id) : nil
    },
  ]
}

/// Number of pictures.
struct CountView: View {
  let count: Int

  static let fields: [String: Field<CountView>] = ["count": .integer { $0.count }]
}
