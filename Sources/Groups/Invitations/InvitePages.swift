import Core
import QRCode
import Templates
import Web

/// `/groups/{id}/invite`: the code as text and as a QR code, for members who may invite.
struct InvitePages {
  private let services: GroupsEnvironment
  private let page: Page<InviteView>

  init(_ services: GroupsEnvironment) throws {
    self.services = services
    page = try Page("groups/invite", title: "group_invite.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let group = try services.invitingGroup(context)
    let view = try InviteView(group, context)
    return page.response(view, context)
  }

  @Sendable func change(_ context: Context) throws -> Response {
    let id: ID<Group> = try context.id()
    let service = GroupService(services: services)
    let viewer = try context.signedIn()
    switch context.form["button"] {
    case "renew":
      try service.renewCode(of: id, by: viewer, now: context.now)
      context.flash("toast.code_renewed")
    case "joining":
      let isOn = context.form["joining"] == "1"
      try service.set(.init(mayJoin: isOn), of: id, by: viewer, now: context.now)
      context.flash(isOn ? "toast.joining_on" : "toast.joining_off")
    default: throw Problem.badRequest
    }
    return .seeOther(GroupsLinks.invite(id))
  }
}

extension GroupsEnvironment {
  /// The group of the request's path for a viewer who may see its code: 403 for other members, 410
  /// if it is closed, 404 for all others.
  func invitingGroup(_ context: Context) throws -> Group {
    let group = try group(context)
    guard group.isOpen else { throw Problem(.groupClosed) }
    guard group.mayInvite else { throw Problem.forbidden }
    return group
  }
}

struct InviteView: View {
  let group: Group
  let code: String
  let link: String
  let square: QRCode
  let people: String
  let left: String?
  let secondsLeft: Int64
  let until: String
  /// The expiry as text, also for printing.
  let untilText: String
  let now: Instant
  let host: String

  init(_ group: Group, _ context: Context) throws {
    guard let invitation = group.code else { throw Problem.notFound }
    self.group = group
    code = invitation.code.spaced
    link = context.site.baseURL + GroupsLinks.join(invitation.linkCode, name: group.name)
    square = try QRCode(link)
    people = context.text("groups.people", count: group.memberCount)
    secondsLeft = max(0, invitation.expiresAt.seconds(since: context.now))
    left = secondsLeft > 0 ? GroupFormatter.hours(left: secondsLeft, context) : nil
    until = invitation.expiresAt.rfc3339
    untilText = DateFormatting(context).moment(invitation.expiresAt)
    now = context.now
    host = context.site.host
  }

  static let fields: [String: Field<InviteView>] = [
    "name": .text { $0.group.name },
    "leader": .text { $0.group.leaderName ?? "" },
    "people": .text { $0.people },
    "code": .text { $0.code },
    "link": .text { $0.link },
    "host": .text { $0.host },
    "qr_side": .integer { $0.square.svgSide },
    "qr_path": .text { $0.square.svgPath },
    "left": .optionalText { $0.left },
    "hours_left": .integer { Int($0.secondsLeft / 3600) },
    "until": .text { $0.until },
    "until_words": .text { $0.untilText },
    "now": .text { "\($0.now.milliseconds)" },
    "expired": .flag { $0.left == nil },
    "works": .flag { $0.group.mayJoin && $0.left != nil },
    "joining": .flag { $0.group.mayJoin },
    "leads": .flag { $0.group.isLedByViewer },
    "action": .text { GroupsLinks.invite($0.group.id) },
    "group_link": .text { GroupsLinks.group($0.group.id) },
    "picture_link": .text { GroupsLinks.picture($0.group.id, "png") },
  ]
}
