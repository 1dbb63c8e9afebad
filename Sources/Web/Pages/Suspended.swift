import Core

extension Problem {
  static let suspendedCode = APIErrorCode.suspended.rawValue
}

extension Context {
  /// The 403 with reason and end of the viewer's suspension (docs/developer/moderation.md); nil if
  /// they are not suspended.
  public var suspended: Problem? {
    guard let suspension = viewer?.suspension else { return nil }
    var parameters = ["why": suspension.why]
    parameters["until"] = suspension.until.map { DateFormatting(self).moment($0) }
    return Problem(
      .forbidden, Problem.suspendedCode,
      textKey: suspension.until == nil ? "problem.suspended_for_good" : "problem.suspended",
      parameters: parameters)
  }

  /// Throws if the viewer is suspended and the route is closed to suspended users.
  func admitUnlessSuspended(to route: Route) throws {
    guard route.options.contains(.closedToSuspended), let suspended else { return }
    throw suspended
  }
}
