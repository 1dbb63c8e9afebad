import Accounts
import Core
import HTTPTypes
import Templates
import Web

/// `/join`: enter or scan a code, view its group, and confirm to join: a GET never joins.
struct JoinPages {
  private let services: GroupsEnvironment
  private let guests: GuestCreator
  private let form: Page<JoinFormView>
  private let question: Page<JoinView>
  private let rejection: Page<JoinErrorView>

  private var service: JoinService { JoinService(services: services) }

  init(_ services: GroupsEnvironment, guests: GuestCreator) throws {
    self.services = services
    self.guests = guests
    form = try Page("groups/join", title: "join.title", in: services.site)
    question = try Page("groups/join-confirm", title: "join.title", in: services.site)
    rejection = try Page("groups/join-refused", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard let entered = context.request.queryValue("code") else { return ask(context) }
    // An image on another site that points here must not use up the attempts of the site's
    // visitors.
    if context.request.headers[.fetchSite] == "cross-site",
      let place = context.request.headers[.fetchDestination], place != "document"
    {
      return ask(context, entered: entered)
    }
    let invitation = InviteLinkParser(entered)
    guard let code = InviteCode(invitation.code) else {
      return ask(context, entered: entered, error: Self.error(entered))
    }
    let found = try service.find(
      code, for: context.viewer, from: context.address, now: context.now)
    return answer(
      found, code, named: invitation.name ?? context.request.queryValue("name"), context)
  }

  @Sendable func join(_ context: Context) throws -> Response {
    let entered = context.form["code"]
    let invitation = InviteLinkParser(entered)
    guard let code = InviteCode(invitation.code) else {
      return ask(context, entered: entered, error: Self.error(entered))
    }
    let found = try service.find(
      code, for: context.viewer, from: context.address, now: context.now)
    guard case .open(let group) = found else {
      if case .member(let group) = found { return .seeOther(GroupsLinks.group(group.id)) }
      return answer(found, code, named: nil, context)
    }
    var person = context.viewer?.id
    if person == nil {
      var errors: [String: FieldError] = [:]
      let name = AccountRules.name(
        context.form["display_name"], limits: AccountRules.displayNameLimits, field: "display_name",
        &errors)
      guard errors.isEmpty else {
        return show(
          group, code, context, entered: context.form["display_name"],
          errors: errors.texts(context))
      }
      try services.limits.count(JoinService.guests, context.address, now: context.now)
      // A valid code exempts new guests from the limit (docs/developer/accounts.md#limits).
      person = try guests.begin(name: name, counts: false, context)
    }
    guard let person else { throw Problem.internalError }
    let joined = try service.join(code, as: person, now: context.now)
    guard case .member(let group) = joined else {
      return answer(joined, code, named: nil, context)
    }
    context.flash("toast.group_joined")
    return .seeOther(GroupsLinks.group(group.id))
  }

  private static func error(_ entered: String) -> FieldError {
    FieldError(entered.asOneLine.isEmpty ? "join.error_empty" : "join.error_code")
  }

  // MARK: Rendering

  private func ask(
    _ context: Context, entered: String = "", error: FieldError? = nil
  ) -> Response {
    let view = JoinFormView(code: entered, errors: error.map { ["code": $0.text(context)] } ?? [:])
    return form.response(
      view, context,
      status: error == nil ? .ok : .unprocessableContent)
  }

  private func answer(
    _ found: JoinService.InviteMatch, _ code: InviteCode, named name: String?, _ context: Context
  ) -> Response {
    switch found {
    case .open(let group): return show(group, code, context)
    case .member(let group): return show(group, code, context, isMember: true)
    case .refused(let reason):
      let view = JoinErrorView(reason, named: name?.asOneLine, context)
      return rejection.response(
        view, context, title: .named(view.title), status: reason.code.status)
    }
  }

  private func show(
    _ group: Group, _ code: InviteCode, _ context: Context, entered: String = "",
    errors: [String: String] = [:], isMember: Bool = false
  ) -> Response {
    let view = JoinView(
      group: group, code: code,
      people: context.text("join.people", count: group.memberCount), displayName: entered,
      errors: errors, isMember: isMember,
      mayJoin: context.viewer != nil || RegistrationAccess.isOpen(to: context, isInvited: true))
    return question.response(
      view, context,
      status: errors.isEmpty ? .ok : .unprocessableContent)
  }
}

struct JoinFormView: FormContent {
  let code: String
  let errors: [String: String]

  static let fields: [String: Field<JoinFormView>] = formFields(
    errors: ["code", "picture"],
    [
      "action": .text { _ in GroupsLinks.join },
      "code": .text { $0.code },
      "picture_action": .text { _ in GroupsLinks.joinPicture },
      "groups_link": .text { _ in GroupsLinks.groups },
    ])
}

struct JoinView: FormContent {
  let group: Group
  let code: InviteCode
  let people: String
  let displayName: String
  let errors: [String: String]
  let isMember: Bool
  /// False for visitors where registration is closed: they need an account.
  let mayJoin: Bool

  private var avatar: AvatarView {
    AvatarView(name: group.leaderName ?? "", avatar: group.leaderAvatar)
  }

  static let fields: [String: Field<JoinView>] = formFields(
    errors: ["display_name"],
    [
      "name": .text { $0.group.name },
      "leader": .text { $0.group.leaderName ?? "" },
      "people": .text { $0.people },
      "face": .child { $0.avatar },
      "others": .optionalText {
        $0.group.memberCount > 1 ? "+\($0.group.memberCount - 1)" : nil
      },
      "already": .flag { $0.isMember },
      "may_join": .flag { $0.mayJoin },
      "code": .text { $0.code.text },
      "action": .text { _ in GroupsLinks.join },
      "group_link": .text { $0.isMember ? GroupsLinks.group($0.group.id) : "" },
      "sign_in_link": .text {
        AccountLinks.signIn(next: GroupsLinks.join($0.code))
      },
      "display_name": .text { $0.displayName },
    ])
}

/// Why the user can't join, and what to do.
struct JoinErrorView: View {
  let title: String
  let text: String
  let name: String?

  init(_ reason: JoinService.Rejection, named name: String?, _ context: Context) {
    let (title, text) = Self.keys(reason)
    self.title = context.text(title)
    self.text = context.text(text)
    // The name in a link is untrusted: it is shown as such, and truncated.
    self.name = name.flatMap { $0.isEmpty ? nil : GroupRules.nameLimits.beginning(of: $0) }
  }

  private static func keys(_ reason: JoinService.Rejection) -> (title: String, text: String) {
    switch reason {
    case .unknown: ("join.unknown_title", "join.unknown_text")
    case .expired: ("join.expired_title", "join.expired_text")
    case .closed: ("join.closed_title", "join.closed_text")
    case .full: ("join.full_title", "join.full_text")
    case .removed: ("join.removed_title", "join.removed_text")
    }
  }

  static let fields: [String: Field<JoinErrorView>] = [
    "title": .text { $0.title },
    "text": .text { $0.text },
    "name": .optionalText { $0.name },
    "join_link": .text { _ in GroupsLinks.join },
    "groups_link": .text { _ in GroupsLinks.groups },
  ]
}
