import Core

extension Problem {
  static let suspendedCode = APIErrorCode.suspended.rawValue
}

extension Context {
  /// The 403 that tells somebody suspended why, and until when (docs/developer/moderation.md); nil
  /// for all others.
  public var suspended: Problem? {
    guard let suspension = viewer?.suspension else { return nil }
    var parameters = ["why": suspension.why]
    parameters["until"] = suspension.until.map { DateFormatting(self).moment($0) }
    return Problem(
      .forbidden, Problem.suspendedCode,
      textKey: suspension.until == nil ? "problem.suspended_for_good" : "problem.suspended",
      parameters: parameters)
  }

  /// Refuses who is suspended what they may not do.
  func admitUnlessSuspended(to route: Route) throws {
    guard route.options.contains(.closedToSuspended), let suspended else { return }
    throw suspended
  }
}
