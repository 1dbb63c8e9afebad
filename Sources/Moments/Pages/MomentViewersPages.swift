import Core
import Database
import Templates
import Web

/// `/moments/{couple}/{moment}/viewers`: who has seen a moment, for its couple.
struct MomentViewersPages {
  private let services: MomentsEnvironment
  private let page: Page<MomentViewersView>

  init(_ services: MomentsEnvironment) throws {
    self.services = services
    page = try Page("moments/viewers", title: "moments.viewers_title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let moment = try context.moment(services)
    let (_, found) = try MomentService(services: services).viewers(
      of: moment.id, after: PageCursor<Person>(context.request.queryValue("after")),
      limit: MomentRules.viewersPageSize, by: context.signedIn(), now: context.now)
    let when = DateFormatting(context)
    let view = MomentViewersView(
      moment: moment,
      viewers: found.rows.map { MomentViewerRowView(viewer: $0, age: when.age($0.at)) },
      older: found.next.map {
        MomentLinks.viewers(of: moment.id, of: moment.couple, after: $0.text)
      })
    return page.response(view, context)
  }
}

struct MomentViewersView: View {
  let moment: Moment
  let viewers: [MomentViewerRowView]
  let older: String?

  static let fields: [String: Field<MomentViewersView>] = [
    "moment_link": .text { MomentLinks.moment($0.moment.id, of: $0.moment.couple) },
    "viewers": .list { $0.viewers },
    "empty": .flag { $0.viewers.isEmpty },
    "older": .optionalText { $0.older },
  ]
}

struct MomentViewerRowView: View {
  let viewer: MomentViewer
  let age: String

  static let fields: [String: Field<MomentViewerRowView>] = [
    "face": .child { AvatarView($0.viewer.avatar) },
    "name": .text { $0.viewer.avatar.name },
    "couple_name": .optionalText { $0.viewer.couple?.name },
    "link": .optionalText { $0.viewer.couple.map { WebLinks.couple($0.id) } },
    "age": .text { $0.age },
    "moment": .text { $0.viewer.at.rfc3339 },
  ]
}
