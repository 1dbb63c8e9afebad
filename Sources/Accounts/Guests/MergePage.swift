import Core
import Database
import Secrets
import Templates
import Web

/// `/merge`: after a guest signs in to an account on the same browser, asks whether to move the
/// guest's data to it.
struct MergePage {
  /// Carries the guest who signed in to an account on this browser just now.
  static let offer = SealedCookie(name: "was_guest", lifetime: .minutes(30))

  private let services: AccountsEnvironment
  private let page: Page<MergeView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/merge", title: "merge.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let next = Context.safePath(context.request.queryValue("next")) ?? "/"
    guard let guest = try offered(context)?.guest,
      let name = try services.site.database.read({ try services.guests.name(guest, in: $0) })
    else { return .seeOther(next) }
    let view = MergeView(guestName: name, next: next)
    return page.response(view, context)
  }

  @Sendable func answer(_ context: Context) throws -> Response {
    let member = try context.signedIn()
    guard let (guest, session) = try offered(context) else { return .seeOther(context.next()) }
    MergePage.offer.clear(context)
    guard context.form["take"] == "1" else {
      try services.site.database.write {
        try services.sessions.end(hash: session, of: guest, in: $0)
      }
      return .seeOther(context.next())
    }
    let merged = try services.site.database.write { writer in
      // The guest may have been merged or deleted elsewhere in the meantime.
      guard try services.guests.name(guest, in: writer) != nil else { return false }
      for participant in services.participants() {
        try participant.merge(guest: guest, into: member.id, now: context.now, in: writer)
      }
      return true
    }
    context.flash(merged ? "toast.merged" : "toast.not_merged")
    return .seeOther(context.next())
  }

  /// Offers a member the data of the guest who had this session.
  static func offer(
    _ guest: ID<Person>, _ session: Token, to member: ID<Person>, _ context: Context
  ) throws {
    try offer.set("\(guest) \(Base64URL.text(session.sha256))", for: member, context)
  }

  /// The guest, and the hash of their session.
  private func offered(_ context: Context) throws -> (guest: ID<Person>, session: [UInt8])? {
    let member = try context.signedIn()
    let words = Self.offer.read(for: member.id, context)?.split(separator: " ") ?? []
    guard words.count == 2, let guest = ID<Person>(String(words[0])),
      let session = Base64URL.bytes(words[1])
    else { return nil }
    return (guest, session)
  }
}

struct MergeView: View {
  let guestName: String
  let next: String

  static let fields: [String: Field<MergeView>] = [
    "action": .text { _ in AccountLinks.merge },
    "guest_name": .text { $0.guestName },
    "next": .text { $0.next },
  ]
}
