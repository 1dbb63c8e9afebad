import Cprocess
import Glibc
import Images

/// Another program with the limits of a child and without sockets: ffmpeg and ffprobe, which read
/// untrusted films (docs/developer/films.md).
enum LimitedProgram {
  /// Less urgent than requests of others: converting takes a core for many seconds.
  private static let niceness: Int32 = 10

  /// Sets the limits of this process for good and replaces it by the program, with this process's
  /// environment. Returns only on an error.
  static func run(_ program: String, _ arguments: [String], _ limits: ImageProcessLimits)
    -> PictureError
  {
    _ = nice(niceness)
    guard limits.apply(), pairspot_forbid_sockets() == 0 else {
      return PictureFile.failure("cannot set limits")
    }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    execv(program, &words)
    return PictureFile.failure("cannot start \(program)")
  }
}
