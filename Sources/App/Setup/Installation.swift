import Foundation

/// The places of the files of an installed program (docs/operator/install.md).
public enum Installation {
  /// The file of settings.
  public static let settingsFile = "/etc/pairspot.conf"
  static let dataFolder = "/var/lib/pairspot"
  static let services = ["pairspot.service", "pairspot-backup.timer", "pairspot-drill.timer"]

  /// The path of the program that processes pictures: beside this one where it was built, in
  /// `libexec` where it is installed. Determined once, since an upgrade replaces this program's
  /// file.
  static let pictureProgram: String = {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = URL(fileURLWithPath: program ?? "").deletingLastPathComponent()
    let beside = folder.appendingPathComponent("pairspot-pictures").path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    return folder.deletingLastPathComponent()
      .appendingPathComponent("libexec/pairspot/pairspot-pictures").path
  }()

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
