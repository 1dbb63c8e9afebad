/// The due jobs that a worker does. Jobs that may hang for minutes (a mail server that accepts a
/// connection and never answers), and jobs that must not be delayed (the scan that decides about
/// alerts), have queues of their own.
public enum JobQueue: Sendable, Equatable {
  case all
  /// The jobs of one kind. Such a worker has its own heartbeat, and schedules only its kind.
  case only(String)
  /// All but those of two kinds, which have queues of their own.
  case allBut(String, String)

  /// The name of the heartbeat of the workers of this queue.
  public var heartbeat: String {
    switch self {
    case .all, .allBut: Worker.heartbeat
    case .only(let kind): "\(Worker.heartbeat) \(kind)"
    }
  }

  /// The kinds that a job must, or must not, have. No kind has an empty name.
  var kinds: (String, String) {
    switch self {
    case .all: ("", "")
    case .only(let kind): (kind, kind)
    case .allBut(let one, let other): (one, other)
    }
  }

  var isOnly: Bool {
    if case .only = self { true } else { false }
  }

  /// Whether jobs of a kind belong to this queue.
  public func has(_ kind: String) -> Bool {
    (kind == kinds.0 || kind == kinds.1) == isOnly
  }
}
