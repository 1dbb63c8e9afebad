import Core
import Templates
import Web

/// How far an alert has got with one contact, as a line of a list.
struct ContactProgressView: View {
  let name: String
  let state: String
  let isBad: Bool

  /// With `isOnContactPage` for the page that the contacts open.
  init(
    _ progress: ContactProgress, name: String, isOnContactPage: Bool = false,
    offers: ChannelOffers, _ when: DateFormatting, _ context: Context
  ) {
    self.name = name
    let (key, moment) = Self.state(of: progress, isOnContactPage: isOnContactPage)
    let channel = progress.offer.map { offers.find($0)?.label(in: context.language) ?? $0 }
    state = context.text(key, ["when": when.moment(moment), "channel": channel ?? ""])
    isBad = key == Self.failed
  }

  private static let failed = "contact_progress.failed"

  private static func state(
    of progress: ContactProgress, isOnContactPage: Bool
  ) -> (key: String, at: Instant) {
    if let at = progress.reachedAt { return ("contact_progress.reached", at) }
    if let at = progress.lookingAt { return ("contact_progress.looking", at) }
    if let at = progress.openedAt {
      return (isOnContactPage ? "contact_progress.opened" : "contact_progress.saw", at)
    }
    switch progress.mail {
    case .waiting: return ("contact_progress.waiting", progress.mailAt)
    case .sent:
      let isMail = progress.offer == nil
      return (isMail ? "contact_progress.sent" : "contact_progress.sent_by", progress.mailAt)
    case .refused, .bounced, .givenUp, .recalled: return (failed, progress.mailAt)
    }
  }

  static let fields: [String: Field<ContactProgressView>] = [
    "contact_name": .text { $0.name },
    "state": .text { $0.state },
    "bad": .flag { $0.isBad },
  ]
}
