/// A viewer's relation to the owner of data, as in docs/developer/who-sees-what.md.
enum CanaryRelation: String, CaseIterable, Sendable {
  case themself = "self"
  case partner
  case formerPartner = "former partner"
  case follower
  case member = "any member"
  case guest = "any guest"
  case signedOut = "signed out"
  case blocked
  case blocker
  case leader = "group leader"
  case groupMember = "group member"
  case leftGroup = "former group member"
  case contact
  case contactMail = "contact, by mail"
  case invited = "invited partner, by mail"
  case moderator
  case admin
  case lockScreen = "lock screen"
  case logs = "logs and figures"
}

/// A user or system that sees answers, mails or files.
enum CanaryViewer: Hashable, CustomStringConvertible {
  case person(CanaryPerson)
  case nobody
  /// A user with the link for a contact.
  case contact(of: CanaryPerson)
  /// The mailbox of a user, with those of the contact and the invited partner: its mails and the
  /// pages of their links.
  case mailbox(CanaryPerson)
  case mailboxOfContact(CanaryPerson)
  case mailboxOfInvited(CanaryPerson)
  case lockScreen(CanaryPerson)
  case logs

  var description: String {
    switch self {
    case .person(let person): "\(person)"
    case .nobody: "nobody"
    case .contact(let person): "the contact of \(person)"
    case .mailbox(let person): "the mailbox of \(person)"
    case .mailboxOfContact(let person): "the mailbox of \(person)'s contact"
    case .mailboxOfInvited(let person): "the mailbox of whom \(person) invited"
    case .lockScreen(let person): "the lock screen of \(person)"
    case .logs: "logs and figures"
    }
  }
}

/// The relations between viewers and owners in the canary test data.
enum CanaryRelations {
  private static let couples: [Set<CanaryPerson>] = [[.ann, .ben], [.cyd, .dee]]
  private static let parted: Set<CanaryPerson> = [.eve, .fin]
  private static let followers: [(of: Set<CanaryPerson>, Set<CanaryPerson>)] = [
    ([.ann, .ben], [.cyd, .dee]), ([.sam], [.wes]),
  ]
  private static let blocks: [(by: Set<CanaryPerson>, Set<CanaryPerson>)] = [
    ([.ann, .ben], [.nik]), ([.kim], [.ann, .ben]),
  ]
  private static let inGroup: Set<CanaryPerson> = [.lea, .ann, .wes, .hal]
  private static let leftGroup: Set<CanaryPerson> = [.vic, .rex]

  static func of(_ viewer: CanaryViewer, to owner: CanaryPerson) -> Set<CanaryRelation> {
    switch viewer {
    case .nobody: [.signedOut]
    case .logs: [.logs]
    case .contact(let person): person == owner ? [.contact, .signedOut] : [.signedOut]
    case .mailboxOfContact(let person):
      person == owner ? [.contactMail, .signedOut] : [.signedOut]
    case .mailboxOfInvited(let person): person == owner ? [.invited, .signedOut] : [.signedOut]
    case .lockScreen: [.lockScreen]
    case .mailbox(let person):
      of(person, to: owner).union((person, owner) == (.ben, .ann) ? [.contactMail] : [])
        .union([.signedOut])
    // Signed out for good, unless the account is restored.
    case .person(.tom): [.signedOut]
    case .person(let person): of(person, to: owner)
    }
  }

  private static func of(_ person: CanaryPerson, to owner: CanaryPerson) -> Set<CanaryRelation> {
    if person == owner { return [.themself] }
    var found: Set<CanaryRelation> = []
    if couples.contains([person, owner]) { found.insert(.partner) }
    if parted == [person, owner] { found.insert(.formerPartner) }
    let isBlocked = blocks.contains { $0.by.contains(owner) && $0.1.contains(person) }
    let blocks = blocks.contains { $0.by.contains(person) && $0.1.contains(owner) }
    if isBlocked { found.insert(.blocked) }
    if blocks { found.insert(.blocker) }
    switch person {
    case .gia, .hal: found.insert(.guest)
    case .ivy, .tom: found.insert(.signedOut)
    case _ where !isBlocked && !blocks: found.insert(.member)
    default: break
    }
    if followers.contains(where: { $0.of.contains(owner) && $0.1.contains(person) }) {
      found.insert(.follower)
    }
    if inGroup.union(leftGroup).contains(owner) {
      if person == .lea {
        found.insert(.leader)
      } else if inGroup.contains(person) {
        found.insert(.groupMember)
      }
      if leftGroup.contains(person), inGroup.contains(owner) { found.insert(.leftGroup) }
    }
    if (person, owner) == (.ben, .ann) { found.insert(.contact) }
    if person == .moe { found.insert(.moderator) }
    if person == .ora { found.insert(.admin) }
    return found
  }
}
