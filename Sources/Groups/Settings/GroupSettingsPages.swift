import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/groups/{id}/settings`: the name, the members, and the ways to leave or close.
struct GroupSettingsPages {
  private let services: GroupsEnvironment
  private let page: Page<GroupSettingsView>

  init(_ services: GroupsEnvironment) throws {
    self.services = services
    page = try Page("groups/settings", title: "group_settings.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try render(context, name: nil, errors: [:])
  }

  @Sendable func save(_ context: Context) throws -> Response {
    let id: ID<Group> = try context.id()
    let viewer = try context.signedIn()
    var errors: [String: FieldError] = [:]
    let name = GroupService.name(context.form["name"], &errors)
    guard errors.isEmpty else {
      _ = try services.ledGroup(context)
      return try render(
        context, name: context.form["name"], errors: GroupListPages.named(errors),
        status: .unprocessableContent)
    }
    let service = GroupService(services: services)
    try service.set(
      .init(name: name, membersInvite: context.form["members_invite"] == "1"), of: id,
      by: viewer, now: context.now)
    context.flash("toast.saved")
    return .seeOther(GroupsLinks.settings(id))
  }

  private func render(
    _ context: Context, name: String?, errors: [String: FieldError],
    status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let (viewer, id): (Viewer, ID<Group>) = (try context.signedIn(), try context.id())
    let found = try services.site.database.read { reader in
      try services.store.visible(id, to: viewer.id, in: reader).map { group in
        (
          group: group,
          members: try services.store.members(of: id, now: context.now, in: reader),
          removed: group.isLedByViewer ? try services.store.removed(from: id, in: reader) : []
        )
      }
    }
    guard let found else { throw Problem.notFound }
    let view = GroupSettingsView(
      group: found.group,
      name: name ?? found.group.name, errors: errors.texts(context),
      members: found.members.map { GroupPersonView($0, of: found.group) },
      removed: found.removed.map {
        RemovedPersonView(
          name: $0.name, action: GroupsLinks.allow($0.person, into: found.group.id))
      })
    return page.response(view, context, status: status)
  }
}

struct GroupSettingsView: FormContent {
  let group: Group
  let name: String
  let errors: [String: String]
  let members: [GroupPersonView]
  let removed: [RemovedPersonView]

  static let fields: [String: Field<GroupSettingsView>] = formFields(
    errors: ["name"],
    [
      "name": .text { $0.name },
      "leads": .flag { $0.group.isLedByViewer && $0.group.isOpen },
      "open": .flag { $0.group.isOpen },
      "members_invite": .flag { $0.group.membersInvite },
      "members": .list { $0.members },
      "removed": .list { $0.removed },
      "has_removed": .flag { !$0.removed.isEmpty },
      "may_invite": .flag { $0.group.mayInvite },
      "action": .text { GroupsLinks.settings($0.group.id) },
      "group_link": .text { GroupsLinks.group($0.group.id) },
      "invite_link": .text { GroupsLinks.invite($0.group.id) },
      "leave_link": .text { GroupsLinks.leave($0.group.id) },
      "close_link": .text { GroupsLinks.close($0.group.id) },
    ])
}

/// A member in the leader's settings, with actions to remove them or hand over the lead.
struct GroupPersonView: View {
  let member: Member
  let group: Group
  let avatar: AvatarView

  init(_ member: Member, of group: Group) {
    self.member = member
    self.group = group
    avatar = AvatarView(name: member.name, avatar: member.avatar)
  }

  private var isMe: Bool { member.person == group.own?.person }

  static let fields: [String: Field<GroupPersonView>] = [
    "name": .text { $0.member.name },
    "face": .child { $0.avatar },
    "leader": .flag { $0.member.role == .leader },
    "me": .flag { $0.isMe },
    "may_change": .flag { $0.group.isLedByViewer && $0.group.isOpen && !$0.isMe },
    "lead_link": .text { GroupsLinks.lead($0.member.person, $0.group.id) },
    "remove_link": .text { GroupsLinks.remove($0.member.person, from: $0.group.id) },
  ]
}

/// A removed user who may be allowed again.
struct RemovedPersonView: View {
  let name: String
  let action: String

  static let fields: [String: Field<RemovedPersonView>] = [
    "name": .text { $0.name },
    "action": .text { $0.action },
  ]
}
