import Database
import Films
import Foundation
import Glibc

/// Checks that the program's own files belong to another user than the one that runs it: an
/// intruder into that user's processes can't change templates, scripts or nginx's configuration.
struct ProgramDoctor {
  static let name = "the program is not writable by the user that runs it"

  /// A check that the program that processes pictures, a file of its own, is there.
  static func pictures(_ program: String) -> DoctorCheck {
    DoctorCheck("the program that processes pictures exists") { _ in
      FileManager.default.isExecutableFile(atPath: program)
        ? [] : ["\(program) is missing: no pictures can be uploaded"]
    }
  }

  /// Notes for the operator on ffmpeg, without which no films and voice notes are offered.
  static func films(_ films: FilmProcessor) -> [String] {
    guard films.isAvailable else {
      return ["ffmpeg is not installed: no films and voice notes can be uploaded"]
    }
    return films.isRecent ? [] : ["ffmpeg is older than 5.1: films and voice notes may fail"]
  }

  let share: String
  /// The user that runs it, with its groups.
  let user: uid_t
  let groups: Set<gid_t>

  /// Checks for the owner of the data folder, who may not be the current user.
  init(_ configuration: Configuration) {
    var status = stat()
    let isKnown = stat(configuration.data, &status) == 0
    self.init(
      share: configuration.share, user: isKnown ? status.st_uid : geteuid(),
      groups: isKnown ? [status.st_gid] : [getegid()])
  }

  init(share: String, user: uid_t, groups: Set<gid_t>) {
    self.share = share
    self.user = user
    self.groups = groups
  }

  /// A line for each folder with something that the user may change; empty if all is well.
  func find() -> [String] {
    ["templates", "public", "deploy"].map { "\(share)/\($0)" }.filter(hasChangeable)
      .map { "\($0) is writable by the user that runs PairSpot: change its owner to root" }
  }

  private func hasChangeable(_ folder: String) -> Bool {
    if isChangeable(folder) { return true }
    let names = FileManager.default.enumerator(atPath: folder)
    while let name = names?.nextObject() as? String {
      if isChangeable("\(folder)/\(name)") { return true }
    }
    return false
  }

  private func isChangeable(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return status.st_uid == user || status.st_mode & 0o002 != 0
      || (status.st_mode & 0o020 != 0 && groups.contains(status.st_gid))
  }
}
