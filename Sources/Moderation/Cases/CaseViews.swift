import Core
import Templates
import Web

/// The page of one case.
struct CaseView: FormContent {
  let found: ReportCase
  let model: CaseModel
  let seen: ModeratedItem
  let queue: [QueueItemView]
  let entered: FormFields
  let errors: [String: String]
  let stateName: String
  let kind: String
  let line: String
  let reasons: [ReasonView]
  let own: [PastDecisionView]
  let earlier: [PastDecisionView]
  let choices: [ChoiceView]
  let lengths: [ChoiceView]
  /// Set if another moderator has decided first: name, time and decision.
  let taken: String?

  init(
    _ found: ReportCase, _ model: CaseModel, _ seen: ModeratedItem, queue: [QueueItemView],
    entered: FormFields, errors: [String: FieldError], isTaken: Bool, _ context: Context
  ) {
    let formatter = CaseFormatter(context: context)
    self.found = found
    self.model = model
    self.seen = seen
    self.queue = queue
    self.entered = entered
    self.errors = errors.texts(context)
    stateName = context.text("admin.state.\(found.state.rawValue)")
    kind = context.text("admin.report.kind_\(found.target.kind.rawValue)")
    line = formatter.line(seen)
    reasons = model.reasons.map {
      ReasonView(
        name: context.text($0.reason.textKey), count: $0.count, maximum: found.reporters)
    }
    own = model.own.map { PastDecisionView($0, formatter) }
    earlier = model.earlier.map { PastDecisionView($0, formatter) }
    choices = formatter.choices(
      for: found.target.kind, chosen: entered["decision"], isStanding: found.target.kind == .person)
    lengths = formatter.lengths(chosen: entered["until"])
    taken = isTaken ? formatter.taken(found) : nil
  }

  static let fields: [String: Field<CaseView>] = formFields(
    errors: ["decision", "until", "note"],
    [
      "id": .text { $0.found.id.description },
      "number": .integer { $0.model.place },
      "total": .integer { $0.model.count },
      "state_name": .text { $0.stateName },
      "kind": .text { $0.kind },
      "name": .text { $0.seen.name },
      "line": .text { $0.line },
      "there": .flag { $0.seen.isThere },
      "content": .markup { LinkedText.markup($0.seen.text) },
      "has_content": .flag { !$0.seen.text.isEmpty },
      "pictures": .list { $0.seen.pictures.map(BlurredPictureView.init) },
      "hidden_by_reports": .flag { $0.found.isHiddenByReports },
      "count": .integer { $0.found.reporters },
      "reasons": .list { $0.reasons },
      "has_reasons": .flag { !$0.reasons.isEmpty },
      "notes": .list { $0.model.notes.map(TextItemView.init) },
      "appeal": .optionalText { $0.model.appeal?.text },
      "own": .list { $0.own },
      "has_own": .flag { !$0.own.isEmpty },
      "earlier": .list { $0.earlier },
      "has_earlier": .flag { !$0.earlier.isEmpty },
      "couple_reports": .optionalText { $0.found.couple.map(ModerationLinks.reports) },
      "is_own": .flag { $0.model.isOwn },
      "taken": .optionalText { $0.taken },
      "version": .integer { $0.found.version },
      "choices": .list { $0.choices },
      "lengths": .list { $0.lengths },
      "note": .text { $0.entered["note"] },
      "action": .text { ModerationLinks.one($0.found.id) },
      "queue_link": .text { _ in ModerationLinks.queue },
      "before_link": .optionalText { $0.model.before.map(ModerationLinks.one) },
      "next_link": .optionalText { $0.model.next.map(ModerationLinks.one) },
      "queue": .list { $0.queue },
    ])
}

/// A blurred picture.
struct BlurredPictureView: View {
  let picture: ReportedPicture

  init(_ picture: ReportedPicture) { self.picture = picture }

  static let fields: [String: Field<BlurredPictureView>] = [
    "src": .text { $0.picture.medium },
    "alt": .text { $0.picture.description },
    "width": .integer { $0.picture.width },
    "height": .integer { $0.picture.height },
  ]
}

/// A reason with its number of reporters.
struct ReasonView: View {
  let name: String
  let count: Int
  let maximum: Int

  static let fields: [String: Field<ReasonView>] = [
    "name": .text { $0.name },
    "count": .integer { $0.count },
    "most": .integer { $0.maximum },
  ]
}

/// An earlier decision.
struct PastDecisionView: View {
  let text: String
  let note: String
  let link: String

  init(_ past: PastDecision, _ formatter: CaseFormatter) {
    text = formatter.past(past)
    note = past.note
    link = ModerationLinks.one(past.caseID)
  }

  static let fields: [String: Field<PastDecisionView>] = [
    "words": .text { $0.text },
    "note": .text { $0.note },
    "link": .text { $0.link },
  ]
}
