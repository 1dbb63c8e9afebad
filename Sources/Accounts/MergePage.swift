import Basics
import Database
import Templates
import Web

/// `/merge`: who was a guest on this browser and signs in to an account is asked whether to take
/// along what the guest has.
struct MergePage {
  /// Which guest signed in to an account on this browser just now.
  static let offer = SealedCookie(name: "was_guest", lifetime: .minutes(30))

  private let services: AccountServices
  private let page: Template<MergeView>

  init(_ services: AccountServices) throws {
    self.services = services
    page = try services.site.templates.template("accounts/merge")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    let next = Context.safePath(request.queryValue("next")) ?? "/"
    guard let guest = try offered(context),
      let name = try services.site.database.read({ try services.guests.name(guest, in: $0) })
    else { return .seeOther(next) }
    let view = MergeView(
      page: PageView(context, title: "merge.title"), guestName: name, next: next)
    return .html(page.render(view, in: context.language))
  }

  @Sendable func answer(_ request: Request, _ context: Context) throws -> Response {
    let member = try context.signedIn()
    guard let guest = try offered(context) else { return .seeOther(context.next()) }
    MergePage.offer.clear(context)
    guard context.form["take"] == "1" else { return .seeOther(context.next()) }
    let merged = try services.site.database.write { writer in
      // Somebody may have merged or deleted this guest elsewhere meanwhile.
      guard try services.guests.name(guest, in: writer.reader) != nil else { return false }
      for participant in services.participants() {
        try participant.merge(guest: guest, into: member.id, now: context.now, in: writer)
      }
      return true
    }
    context.say(merged ? "toast.merged" : "toast.not_merged")
    return .seeOther(context.next())
  }

  private func offered(_ context: Context) throws -> ID<Person>? {
    let member = try context.signedIn()
    return Self.offer.read(for: member.id, context).flatMap { ID<Person>($0) }
  }
}

struct MergeView: View {
  let page: PageView
  let guestName: String
  let next: String

  static let fields: [String: Field<MergeView>] = [
    "page": .child { $0.page },
    "action": .text { _ in AccountLinks.merge },
    "guest_name": .text { $0.guestName },
    "next": .text { $0.next },
  ]
}
