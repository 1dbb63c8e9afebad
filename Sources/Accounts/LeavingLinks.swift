import Basics

extension AccountLinks {
  public static let deleteAccount = "/settings/delete"
  public static let restore = "/restore"
  public static let export = "/settings/export"

  /// Where the pages of settings lead back to.
  static let backToSettings = "/settings"

  static func export(_ id: ID<PersonalExport>) -> String { "\(export)/\(id)" }
}
