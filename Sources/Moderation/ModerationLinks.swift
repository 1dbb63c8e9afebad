import Accounts
import Core
import Web

/// Paths of this module (docs/developer/pages-and-forms.md#addresses).
enum ModerationLinks {
  static let ownReports = AccountLinks.ownReports
  static let ownDecisions = WebLinks.decisions
  static let messages = "/messages"
  static let moments = "/moments"
  static let queue = "/admin/reports"
  static let people = "/admin/users"
  static let couples = "/admin/couples"
  static let log = "/admin/log"

  static func report(_ target: ReportTarget) -> String { "\(Self.target(target))/report" }

  /// Public page of an item.
  static func target(_ target: ReportTarget) -> String {
    switch target {
    case .post(let id): "/posts/\(id)"
    case .comment(let id): "/comments/\(id)"
    case .message: messages
    case .moment: moments
    case .couple(let id): AccountLinks.couple(id)
    case .person: people
    }
  }

  static func one(_ id: ID<ReportCase>) -> String { "\(queue)/\(id)" }
  static func withdraw(_ id: ID<Report>) -> String { "\(ownReports)/\(id)/undo" }
  static func undo(_ decision: ID<PastDecision>, of id: ID<ReportCase>) -> String {
    "\(one(id))/decisions/\(decision)/undo"
  }
  static func appeal(_ id: ID<ReportCase>) -> String { "\(ownDecisions)/\(id)/appeal" }
  static func person(_ id: ID<Person>) -> String { "\(people)/\(id)" }
  static func couple(_ id: ID<Couple>) -> String { "\(couples)/\(id)" }
  static func reports(of couple: ID<Couple>) -> String { "\(queue)?couple=\(couple)" }
}
