import Foundation

/// The places of the files of an installed program (docs/operator/install.md).
public enum Installation {
  /// The file of settings.
  public static let settingsFile = "/etc/pairspot.conf"
  static let dataFolder = "/var/lib/pairspot"
  static let services = ["pairspot.service", "pairspot-backup.timer", "pairspot-drill.timer"]

  /// The settings that hold where neither the environment nor the file has others: for a program
  /// in `bin` beside `share/pairspot`. Empty for one that was built but not installed. `program` is
  /// its absolute path.
  public static func defaults(program: String) -> [String: String] {
    let folder = URL(fileURLWithPath: program).deletingLastPathComponent()
    let share = folder.deletingLastPathComponent().appendingPathComponent("share/pairspot").path
    guard folder.lastPathComponent == "bin", FileManager.default.fileExists(atPath: share) else {
      return [:]
    }
    var defaults = ["PAIRSPOT_SHARE": share, "PAIRSPOT_DATA": dataFolder]
    if FileManager.default.fileExists(atPath: settingsFile) {
      defaults["PAIRSPOT_CONFIG"] = settingsFile
    }
    return defaults
  }
}
