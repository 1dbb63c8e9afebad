import Core
import Database
import HTTPTypes
import Templates
import Web

/// `/groups`: the viewer's groups, and the form to create one.
struct GroupListPages {
  private let services: GroupsEnvironment
  private let page: Page<GroupListView>

  init(_ services: GroupsEnvironment) throws {
    self.services = services
    page = try Page("groups/groups", title: "groups.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let own = try context.signedIn().avatar.name
    let name = own.isEmpty ? "" : context.text("groups.own_name", ["name": own])
    return try render(name: GroupRules.nameLimits.allow(name) ? name : "", errors: [:], context)
  }

  @Sendable func make(_ context: Context) throws -> Response {
    var errors: [String: FieldError] = [:]
    let name = GroupService.name(context.form["name"], &errors)
    guard errors.isEmpty else {
      return try render(
        name: context.form["name"], errors: Self.named(errors), context,
        status: .unprocessableContent)
    }
    do {
      let id = try GroupService(services: services).make(
        name, by: context.signedIn(), now: context.now)
      context.flash("toast.group_made")
      return .seeOther(GroupsLinks.invite(id))
    } catch let problem as Problem where problem.code == APIErrorCode.limitReached.rawValue {
      errors["name"] = FieldError("groups.error_many")
      return try render(name: context.form["name"], errors: errors, context, status: .conflict)
    }
  }

  /// The messages for a group's name; the field is also used for other names.
  static func named(_ errors: [String: FieldError]) -> [String: FieldError] {
    errors.mapValues {
      FieldError($0 == .empty("name") ? "groups.error_name_empty" : "groups.error_name_long")
    }
  }

  private func render(
    name: String, errors: [String: FieldError], _ context: Context,
    status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let viewer = try context.signedIn()
    let groups = try services.site.database.read {
      try services.store.all(of: viewer.id, in: $0)
    }
    let view = GroupListView(
      groups: groups.map { GroupCardView($0, context) }, name: name, errors: errors.texts(context))
    return page.response(view, context, status: status)
  }
}

struct GroupListView: FormContent {
  let groups: [GroupCardView]
  let name: String
  let errors: [String: String]

  static let fields: [String: Field<GroupListView>] = formFields(
    errors: ["name"],
    [
      "groups": .list { $0.groups },
      "has_groups": .flag { !$0.groups.isEmpty },
      "action": .text { _ in GroupsLinks.groups },
      "join_link": .text { _ in GroupsLinks.join },
      "name": .text { $0.name },
    ])
}

/// A group in the list.
struct GroupCardView: View {
  let group: Group
  let summary: String
  /// How long the viewer still shares their location with this group.
  let left: String?

  init(_ group: Group, _ context: Context) {
    self.group = group
    summary = GroupFormatter.summary(group, context)
    left = group.sharing(now: context.now).map {
      GroupFormatter.time(left: $0.seconds(since: context.now), context)
    }
  }

  static let fields: [String: Field<GroupCardView>] = [
    "id": .text { $0.group.id.description },
    "name": .text { $0.group.name },
    "summary": .text { $0.summary },
    "left": .optionalText { $0.left },
    "link": .text { GroupsLinks.group($0.group.id) },
    "leads": .flag { $0.group.isLedByViewer },
    "closed": .flag { !$0.group.isOpen },
  ]
}
