import Glibc

/// Runs commands of root as the user who owns the data, so that no file in the data folder
/// belongs to root.
public enum CommandUser {
  /// Root could not become that user.
  public struct Failure: Error, CustomStringConvertible {
    let user: String
    let code: Int32
    public var description: String {
      "cannot run as the user \(user): \(String(cString: strerror(code)))"
    }
  }

  /// Makes this process one of the user who owns the data folder, if it is root's and the folder is
  /// not. Throws `Failure`.
  public static func assume(for configuration: Configuration) throws {
    guard geteuid() == 0, !configuration.isDevelopment,
      let owner = owner(of: configuration.data), owner.user != 0
    else { return }
    guard initgroups(owner.name, owner.group) == 0, setgid(owner.group) == 0,
      setuid(owner.user) == 0
    else { throw Failure(user: owner.name, code: errno) }
  }

  /// The user who owns a folder; nil for a missing folder or user.
  static func owner(of folder: String) -> (user: uid_t, group: gid_t, name: String)? {
    var info = stat()
    guard stat(folder, &info) == 0, let entry = getpwuid(info.st_uid) else { return nil }
    return (info.st_uid, entry.pointee.pw_gid, String(cString: entry.pointee.pw_name))
  }
}
