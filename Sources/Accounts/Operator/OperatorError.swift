/// The reasons for which a command of the operator is refused, as one line.
public enum OperatorError: Error, CustomStringConvertible, Equatable {
  case unknownUser
  case deletedUser
  case suspendedStaff
  case notStaff
  case notDeleted
  case notRestorable
  case fileExists
  case staffSuspension

  public var description: String {
    switch self {
    case .unknownUser: "no user has that address or id"
    case .deletedUser: "that account is deleted; restore it first"
    case .suspendedStaff:
      "the role of a suspended user cannot be changed; lift the suspension first"
    case .notStaff: "that user is neither moderator nor admin"
    case .notDeleted: "that account is not deleted"
    case .notRestorable:
      "that account cannot come back: its time is over, or its address is used again"
    case .fileExists: "that file exists already"
    case .staffSuspension:
      "staff cannot be suspended; remove the role first (pairspot admin remove)"
    }
  }
}
