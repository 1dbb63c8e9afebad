/// Which of the due jobs a worker does. What may hang for minutes (a mail server that takes a
/// connection in and never answers) has a lane of its own, so that nothing else waits behind it.
public enum JobLane: Sendable {
  case all
  /// Those of one kind. Such a worker keeps neither the timetable nor the heartbeat.
  case only(String)
  /// All the others.
  case allBut(String)

  /// The kind that a job has, or has not. There is none without a name.
  var kind: String {
    switch self {
    case .all: ""
    case .only(let kind), .allBut(let kind): kind
    }
  }

  var isOnly: Bool {
    if case .only = self { true } else { false }
  }
}
