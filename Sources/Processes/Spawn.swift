import Cprocess
import Glibc

/// Starts processes, the only code that does: `posix_spawn`, never a fork of a threaded program.
enum Spawn {
  enum Stream {
    case inherited
    case descriptor(Int32)
  }

  /// Starts a program with standard input empty, every signal at its default and none blocked, and
  /// descriptors above 2 closed; returns its process id. Throws `ChildProcess.CannotStart`.
  static func start(
    _ executable: String, _ arguments: [String], environment: [String: String],
    output: Stream, errors: Stream
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if case .descriptor(let descriptor) = output {
      posix_spawn_file_actions_adddup2(&actions, descriptor, 1)
    }
    if case .descriptor(let descriptor) = errors {
      posix_spawn_file_actions_adddup2(&actions, descriptor, 2)
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigfillset(&defaults)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    posix_spawnattr_setsigmask(&attributes, &unblocked)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var argumentPointers = ([executable] + arguments).map { strdup($0) } + [nil]
    var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") }
    variables.append(nil)
    defer { for word in argumentPointers + variables { free(word) } }

    var child: pid_t = 0
    let code = posix_spawn(&child, executable, &actions, &attributes, &argumentPointers, &variables)
    guard code == 0 else {
      throw ChildProcess.CannotStart(executable: executable, code: code)
    }
    return child
  }

  /// Waits for a child's end; returns its exit code, or 128 plus the signal's number.
  static func wait(for child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      // Its exit status is unknown, so it counts as a failure.
      if errno != EINTR { return 255 }
    }
    return code(of: status)
  }

  /// The status of `waitpid` as a shell shows it: the exit code, or 128 plus the signal's number.
  static func code(of status: Int32) -> Int32 {
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
