import Core
import Database
import Secrets

/// Ends sessions after a backup is restored. The backup does not know about later sign-outs or
/// password changes, so all members must sign in again. Guests stay signed in because they have no
/// credentials.
enum AccountsRestore {
  private static let whoCan: Query = "SELECT id FROM users WHERE role > 1"

  static let step = RestoreStep("sessions") { writer, _ in
    let sessions = try writer.execute("DELETE FROM sessions WHERE user_id IN (\(whoCan))")
    let apps = try writer.execute("DELETE FROM refresh_families WHERE user_id IN (\(whoCan))")
    // Mailed links and codes may have been used or revoked since the backup.
    try writer.execute("DELETE FROM verification_tokens WHERE purpose = 'reset'")
    for table in ["waiting_sign_ins", "mailed_codes", "staff_enrolments"] {
      try writer.execute("DELETE FROM \(name: table)")
    }
    return sessions + apps > 0
      ? "\(sessions + apps) sign-ins of members were ended: they must sign in again" : nil
  }

  /// The number of addresses that are tried.
  private static let tried = 50

  /// Checks that the keys decrypt the addresses in a database. Throws `SealError` if they don't.
  static func tryKeys(_ keys: KeyRing, in reader: ReadTransaction) throws {
    let sealed = try reader.rows(
      """
      SELECT id, email_sealed FROM users WHERE email_sealed IS NOT NULL
      ORDER BY id DESC LIMIT \(tried)
      """
    ) { (id: try $0.next(ID<Person>.self), email: try $0.next([UInt8].self)) }
    for one in sealed { _ = try PersonStore.email.open(one.email, of: one.id, with: keys) }
  }
}

/// The files that rows of this module reference: avatars and exports.
enum AccountFiles {
  static let named = ReferencedFiles("avatars and exports") { reader in
    let avatars = try reader.rows(
      """
      SELECT avatar FROM users WHERE avatar IS NOT NULL
      UNION SELECT avatar FROM couples WHERE avatar IS NOT NULL
      """
    ) { AvatarFiles.paths(thumbPath: try $0.next()) }
    let exports = try reader.rows("SELECT id FROM exports WHERE state = 'ready'") {
      ExportStore.file(try $0.next())
    }
    return Set(avatars.joined()).union(exports)
  }

  /// Those of these files of avatars that no row references.
  static func unnamedAvatars(_ paths: [String], in reader: ReadTransaction) throws -> [String] {
    let avatars = paths.filter { $0.contains("/thumb_") || $0.contains("/original_") }
      .map { (path: $0, thumb: $0.replacing("/original_", with: "/thumb_")) }
    let thumbs = ValueList(avatars.map(\.thumb))
    let known = Set(
      try reader.values(
        """
        SELECT avatar FROM users WHERE avatar IN \(thumbs)
        UNION ALL SELECT avatar FROM couples WHERE avatar IN \(thumbs)
        """, as: String.self))
    return avatars.filter { !known.contains($0.thumb) }.map(\.path)
  }
}
