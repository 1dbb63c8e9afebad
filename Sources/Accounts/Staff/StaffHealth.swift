import Templates

/// The state of the instance, which admins see on the front page of staff.
public struct StaffHealth: View {
  /// Address of the page with all checks.
  let link: String
  let problems: [StaffHealthProblem]

  public init(link: String, problems: [StaffHealthProblem]) {
    self.link = link
    self.problems = problems
  }

  public static let fields: [String: Field<StaffHealth>] = [
    "health_link": .text { $0.link },
    "well": .flag { $0.problems.isEmpty },
    "problems": .list { $0.problems },
  ]
}

/// A check that found something, and what it found.
public struct StaffHealthProblem: View {
  let name: String
  let text: String

  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  public static let fields: [String: Field<StaffHealthProblem>] = [
    "name": .text { $0.name },
    "text": .text { $0.text },
  ]
}
