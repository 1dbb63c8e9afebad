import Core
import Templates
import Web

/// The confirmation pages: leaving, closing, removing a member, handing over the lead, and calling
/// an emergency.
struct GroupConfirmPages {
  private let services: GroupsEnvironment
  private let page: Page<GroupConfirmView>

  private var service: GroupService { GroupService(services: services) }

  init(_ services: GroupsEnvironment) throws {
    self.services = services
    page = try Page("groups/confirm", in: services.site)
  }

  // MARK: Leaving

  @Sendable func askLeave(_ context: Context) throws -> Response {
    let group = try services.group(context)
    let successor = try services.site.database.read { reader -> String? in
      guard group.isLedByViewer, group.isOpen, let own = group.own,
        let next = try services.writing.successor(
          to: own.person, in: group.id, now: context.now, reader)
      else { return nil }
      return try services.store.member(next, of: group.id, in: reader)
    }
    let text =
      if let successor {
        context.text("group_confirm.leave_leader", ["successor": successor])
      } else if group.isLedByViewer && group.isOpen {
        context.text("group_confirm.leave_last")
      } else if !group.isOpen {
        context.text("group_confirm.leave_closed")
      } else if !group.mayJoin {
        context.text("group_confirm.leave_locked")
      } else {
        context.text("group_confirm.leave_text")
      }
    return ask(
      title: "group_confirm.leave",
      GroupConfirmView(
        title: context.text("group_confirm.leave_title", ["name": group.name]), text: text,
        button: context.text("group_confirm.leave"), action: GroupsLinks.leave(group.id),
        cancel: group.isLedByViewer
          ? GroupsLinks.settings(group.id) : GroupsLinks.group(group.id), icon: "sign-out",
        isDanger: false), context)
  }

  @Sendable func leave(_ context: Context) throws -> Response {
    try service.leave(context.id(), by: context.signedIn(), now: context.now)
    context.flash("toast.group_left")
    return .seeOther(GroupsLinks.groups)
  }

  // MARK: Closing

  @Sendable func askClose(_ context: Context) throws -> Response {
    let group = try services.openLedGroup(context)
    return ask(
      title: "group_confirm.close",
      GroupConfirmView(
        title: context.text("group_confirm.close_title", ["name": group.name]),
        text: context.text("group_confirm.close_text"),
        button: context.text("group_confirm.close"), action: GroupsLinks.close(group.id),
        cancel: GroupsLinks.settings(group.id), icon: "close"), context)
  }

  @Sendable func close(_ context: Context) throws -> Response {
    try service.close(context.id(), by: context.signedIn(), now: context.now)
    context.flash("toast.group_closed")
    return .seeOther(GroupsLinks.groups)
  }

  // MARK: Members

  @Sendable func askRemove(_ context: Context) throws -> Response {
    let (group, person, name) = try other(context)
    return ask(
      title: "group_confirm.remove",
      GroupConfirmView(
        title: context.text("group_confirm.remove_title", ["person": name]),
        text: context.text("group_confirm.remove_text"),
        button: context.text("group_confirm.remove"),
        action: GroupsLinks.remove(person, from: group.id),
        cancel: GroupsLinks.settings(group.id), icon: "trash", offersNewCode: true), context)
  }

  @Sendable func remove(_ context: Context) throws -> Response {
    let id: ID<Group> = try context.id()
    try service.remove(
      context.id("user_id"), from: id, renewsCode: context.form["renew"] == "1",
      by: context.signedIn(), now: context.now)
    context.flash("toast.member_removed")
    return .seeOther(GroupsLinks.settings(id))
  }

  @Sendable func askLead(_ context: Context) throws -> Response {
    let (group, person, name) = try other(context)
    return ask(
      title: "group_confirm.lead",
      GroupConfirmView(
        title: context.text("group_confirm.lead_title", ["person": name]),
        text: context.text("group_confirm.lead_text"),
        button: context.text("group_confirm.lead"),
        action: GroupsLinks.lead(person, group.id), cancel: GroupsLinks.settings(group.id),
        icon: "people", isDanger: false), context)
  }

  @Sendable func lead(_ context: Context) throws -> Response {
    let id: ID<Group> = try context.id()
    try service.handOver(
      id, to: context.id("user_id"), by: context.signedIn(), now: context.now)
    context.flash("toast.lead_handed")
    return .seeOther(GroupsLinks.group(id))
  }

  @Sendable func allow(_ context: Context) throws -> Response {
    let id: ID<Group> = try context.id()
    try service.allow(context.id("user_id"), into: id, by: context.signedIn(), now: context.now)
    context.flash("toast.member_allowed")
    return .seeOther(GroupsLinks.settings(id))
  }

  /// The member in the request's path, who must not be the viewer.
  private func other(
    _ context: Context
  ) throws -> (group: Group, person: ID<Person>, name: String) {
    let group = try services.openLedGroup(context)
    let person: ID<Person> = try context.id("user_id")
    let name = try services.site.database.read {
      try services.store.member(person, of: group.id, in: $0)
    }
    guard let name, person != group.own?.person else { throw Problem.notFound }
    return (group, person, name)
  }

  // MARK: Emergency

  @Sendable func askEmergency(_ context: Context) throws -> Response {
    let group = try services.openLedGroup(context)
    return ask(
      title: "groups.emergency",
      GroupConfirmView(
        title: context.text("group_confirm.emergency_title"),
        text: context.text("group_confirm.emergency_text"),
        button: context.text("group_confirm.emergency"),
        action: GroupsLinks.commands(group.id), cancel: GroupsLinks.group(group.id),
        icon: "warning", kind: GroupEventKind.emergency.rawValue,
        note: GroupRules.noteLimits.beginning(
          of: (context.request.queryValue("note") ?? "").asOneLine)), context)
  }

  private func ask(
    title: String, _ view: GroupConfirmView, _ context: Context
  ) -> Response {
    page.response(view, context, title: .key(title))
  }
}

extension GroupsEnvironment {
  /// The same as `ledGroup`; throws 410 if the group is closed.
  func openLedGroup(_ context: Context) throws -> Group {
    let group = try ledGroup(context)
    guard group.isOpen else { throw Problem(.groupClosed) }
    return group
  }
}

struct GroupConfirmView: View {
  let title: String
  let text: String
  let button: String
  let action: String
  let cancel: String
  let icon: String
  var isDanger = true
  /// The command to send, if any.
  var kind: String?
  var offersNewCode = false
  /// The note, for commands that accept one.
  var note: String?

  static let fields: [String: Field<GroupConfirmView>] = [
    "title": .text { $0.title },
    "text": .text { $0.text },
    "button": .text { $0.button },
    "action": .text { $0.action },
    "cancel_link": .text { $0.cancel },
    "icon": .text { $0.icon },
    "danger": .flag { $0.isDanger },
    "kind": .optionalText { $0.kind },
    "new_code": .flag { $0.offersNewCode },
    "note": .optionalText { $0.note },
    "note_most": .integer { _ in GroupRules.noteLimits.characters },
  ]
}
