import Core

extension AccountLinks {
  public static let deleteAccount = "/settings/delete"
  public static let accountDeleted = "/account-deleted"
  public static let restore = "/restore"
  public static let export = "/settings/export"

  static func export(_ id: ID<PersonalExport>) -> String { "\(export)/\(id)" }
}
