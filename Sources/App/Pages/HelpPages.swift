import Accounts
import Core
import Templates
import Web

/// `/help` and its topics: how the product works, for everyone. All of it is texts of the
/// catalogues: a title, a lead, and sections numbered from 1.
struct HelpPages: Sendable {
  private let site: AppEnvironment
  private let page: Page<HelpView>

  init(site: AppEnvironment) throws {
    self.site = site
    page = try Page("static/help", in: site)
  }

  var routes: [Route] {
    [
      Route(.get, AccountLinks.help, .anyone, handler: showContents),
      Route(.get, "\(AccountLinks.help)/:topic", .anyone, handler: showTopic),
    ]
  }

  @Sendable private func showContents(_ context: Context) -> Response {
    response("help.contents", nil, context)
  }

  @Sendable private func showTopic(_ context: Context) throws -> Response {
    guard let topic = context.parameters["topic"].flatMap(HelpTopic.init(rawValue:))
    else { throw Problem.notFound }
    return response(topic.textKey, topic, context)
  }

  private func response(_ key: String, _ topic: HelpTopic?, _ context: Context) -> Response {
    let numbers = sequence(first: 1) { $0 + 1 }
      .prefix { site.catalogues.contains("\(key).title_\($0)") }
    let pages = (topic?.pages ?? []).filter {
      // Signed-in users have registered.
      context.viewer == nil || $0.path != AccountLinks.register
    }
    let view = HelpView(
      isTopic: topic != nil, title: context.text("\(key).title"), lead: context.text("\(key).lead"),
      topics: HelpTopic.allCases.map {
        HelpLinkView(link: $0.path, icon: $0.icon, name: context.text("\($0.textKey).title"))
      },
      sections: numbers.map {
        HelpSectionView(
          heading: context.text("\(key).title_\($0)"), text: context.text("\(key).text_\($0)"))
      },
      pages: pages.map { HelpLinkView(link: $0.path, icon: "", name: context.text($0.textKey)) })
    return page.response(view, context, title: .named(view.title))
  }
}

struct HelpView: View {
  let isTopic: Bool
  let title: String
  let lead: String
  let topics: [HelpLinkView]
  let sections: [HelpSectionView]
  let pages: [HelpLinkView]

  static let fields: [String: Field<HelpView>] = [
    "is_topic": .flag { $0.isTopic },
    "title": .text { $0.title },
    "lead": .text { $0.lead },
    "topics": .list { $0.topics },
    "sections": .list { $0.sections },
    "pages": .list { $0.pages },
  ]
}

struct HelpSectionView: View {
  let heading: String
  let text: String

  static let fields: [String: Field<HelpSectionView>] = [
    "heading": .text { $0.heading },
    "text": .text { $0.text },
  ]
}

/// A link to a topic, or to a page that a topic is about.
struct HelpLinkView: View {
  let link: String
  let icon: String
  let name: String

  static let fields: [String: Field<HelpLinkView>] = [
    "link": .text { $0.link },
    "icon": .text { $0.icon },
    "name": .text { $0.name },
  ]
}
