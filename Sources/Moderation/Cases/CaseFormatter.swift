import Core
import Web

/// Cases in the viewer's language.
struct CaseFormatter {
  let context: Context
  let when: DateFormatting

  init(context: Context) {
    self.context = context
    when = DateFormatting(context)
  }

  /// "Hide", "Suspend: 7 days".
  func decision(_ decision: Decision, days: Int?) -> String {
    let name = context.text("admin.decision.\(decision.rawValue)")
    guard decision == .suspend, let days else { return name }
    return context.text("admin.decision.with_days", ["decision": name, "days": self.days(days)])
  }

  func days(_ days: Int) -> String {
    days == 0
      ? context.text("admin.report.permanently") : context.text("admin.report.days", count: days)
  }

  /// The possible decisions with their explanations. `isStanding`: the target was not reported, so
  /// "dismiss" reads "lift".
  func choices(for kind: ReportTarget.Kind, chosen: String, isStanding: Bool = false)
    -> [DecisionChoiceView]
  {
    Decision.choices(for: kind).map { decision in
      let key = isStanding && decision == .dismiss ? "lift" : decision.rawValue
      return DecisionChoiceView(
        decision: decision, name: context.text("admin.decision.\(key)"),
        hint: context.text("admin.decision.\(key)_\(Self.hint(decision, kind))"),
        act: context.text("admin.decision.\(key)_\(Self.act(decision, kind))"),
        isChosen: decision.rawValue == chosen)
    }
  }

  /// Suspending hides a post, but not a user or couple; hence a hint for each kind.
  private static func hint(_ decision: Decision, _ kind: ReportTarget.Kind) -> String {
    switch decision {
    case .hide, .remove, .warn, .suspend: "\(kind.rawValue)_hint"
    case .dismiss: "hint"
    }
  }

  /// The kind of thing that the button for hiding or removing names.
  private static func act(_ decision: Decision, _ kind: ReportTarget.Kind) -> String {
    switch decision {
    case .hide, .remove: "\(kind.rawValue)_act"
    case .dismiss, .warn, .suspend: "act"
    }
  }

  /// Texts for the note, by reason.
  func replies(chosen: String) -> [ChoiceView] {
    ReportReason.allCases.filter { $0 != .other }.map {
      ChoiceView(
        value: $0.rawValue, name: context.text("admin.reply.\($0.rawValue)"),
        isChosen: chosen == $0.rawValue)
    }
  }

  /// The note of a form; of a browser without scripts, else the chosen reply.
  func note(_ entered: FormFields) -> String {
    let note = entered["note"].asParagraphs
    guard note.isEmpty, let reason = ReportReason(rawValue: entered["reply"]), reason != .other
    else { return note }
    return context.text("admin.reply.\(reason.rawValue)")
  }

  /// "No earlier decisions · member for 2 years".
  func author(_ model: CaseModel) -> String {
    let decisions =
      model.earlier.isEmpty
      ? context.text("admin.report.no_earlier")
      : context.text("admin.report.earlier_count", count: model.earlier.count)
    return ([decisions] + (model.memberSince.map { [member($0)] } ?? []))
      .joined(separator: " · ")
  }

  /// "Member for 3 days · earlier reports: 2 upheld, 1 rejected".
  func reporter(_ reporter: CaseReporter) -> String {
    let earlier =
      reporter.upheld + reporter.rejected == 0
      ? context.text("admin.report.reporter_new")
      : context.text(
        "admin.report.reporter_earlier",
        ["upheld": String(reporter.upheld), "rejected": String(reporter.rejected)])
    return "\(member(reporter.joinedAt)) · \(earlier)"
  }

  /// How long a user is a member, in the largest unit that says enough.
  private func member(_ joinedAt: Instant) -> String {
    let days = Int(context.now.seconds(since: joinedAt) / .days(1))
    switch days {
    case ..<1: return context.text("admin.report.member_new")
    case ..<60: return context.text("admin.report.member_days", count: days)
    case ..<730: return context.text("admin.report.member_months", count: days / 30)
    default: return context.text("admin.report.member_years", count: days / 365)
    }
  }

  func lengths(chosen: String) -> [ChoiceView] {
    ReportRules.suspensions.map {
      ChoiceView(value: String($0), name: days($0), isChosen: chosen == String($0))
    }
  }

  /// "Already decided" with moderator, time and decision; nil if not decided.
  func taken(_ found: ReportCase) -> String? {
    guard let decision = found.decision, let at = found.decidedAt else { return nil }
    return context.text(
      "admin.report.already_decided",
      [
        "name": found.decidedBy, "moment": when.moment(at),
        "decision": self.decision(decision, days: found.suspendedDays),
      ])
  }

  /// Author and time of a post.
  func line(_ seen: ModeratedItem) -> String {
    guard let at = seen.createdAt else { return "" }
    return context.text(
      seen.isEdited ? "admin.report.written_edited" : "admin.report.written",
      ["name": seen.author, "moment": when.moment(at)])
  }

  func reason(_ reason: ReportReason, _ count: Int) -> String {
    context.text(
      "admin.report.reason_count",
      [
        "reason": context.text(reason.textKey), "count": String(count),
      ])
  }

  /// "Hide, by Mo on 3 October 2026, 09:12".
  func past(_ past: PastDecision) -> String {
    context.text(
      "admin.report.decision_made",
      [
        "decision": decision(past.decision, days: past.days), "name": past.by,
        "moment": when.moment(past.at),
      ])
  }

  /// Title of a case for the user concerned.
  func ownTitle(_ found: ReportCase) -> String {
    let kind = found.target.kind.rawValue
    guard let decision = found.decision, !found.isHiddenByReports else {
      return context.text("own_decisions.pending_review_\(kind)")
    }
    switch decision {
    case .dismiss, .warn: return context.text("own_decisions.warned_\(kind)")
    case .hide: return context.text("own_decisions.hidden_\(kind)")
    case .remove: return context.text("own_decisions.removed_\(kind)")
    case .suspend:
      return context.text("own_decisions.suspended", ["days": days(found.suspendedDays ?? 0)])
    }
  }

  func appeal(_ appeal: Appeal) -> String {
    appeal.decidedAt == nil
      ? context.text("own_decisions.appeal_pending")
      : context.text(
        appeal.isGranted ? "own_decisions.appeal_granted" : "own_decisions.appeal_refused")
  }

  /// End of a suspension and its reason.
  func suspension(_ suspension: Suspension) -> String {
    guard let until = suspension.until else {
      return context.text("own_decisions.permanently", ["why": suspension.why])
    }
    return context.text(
      "own_decisions.until", ["until": when.moment(until), "why": suspension.why])
  }
}
