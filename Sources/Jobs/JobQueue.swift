/// Which of the due jobs a worker does. What may hang for minutes (a mail server that takes a
/// connection in and never answers), and what nobody may keep waiting (the scan that decides about
/// alerts), have lanes of their own.
public enum JobQueue: Sendable, Equatable {
  case all
  /// Those of one kind. Such a worker speaks for no other: it keeps a heartbeat of its own, and the
  /// timetable of its kind alone.
  case only(String)
  /// All but those of two kinds, which have lanes of their own.
  case allBut(String, String)

  /// The name of the heartbeat that says that some worker does these jobs.
  public var heartbeat: String {
    switch self {
    case .all, .allBut: Worker.heartbeat
    case .only(let kind): "\(Worker.heartbeat) \(kind)"
    }
  }

  /// The kinds that a job has one of, or has none of. There is none without a name.
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

  /// Whether jobs of a kind are done in it.
  public func has(_ kind: String) -> Bool {
    (kind == kinds.0 || kind == kinds.1) == isOnly
  }
}
