import Core
import Templates
import Web

/// One case, with the form for a decision.
struct CaseView: FormContent {
  let found: ReportCase
  let model: CaseModel
  let seen: ModeratedItem
  /// Of the case; keeps the filter of the queue.
  let action: String
  let before: String?
  let next: String?
  let entered: FormFields
  let errors: [String: String]
  let stateName: String
  let kind: String
  let line: String
  let around: AroundMessageView?
  let author: String
  let reporters: [String]
  let reasons: [ReasonView]
  let own: [PastDecisionView]
  let earlier: [PastDecisionView]
  let choices: [DecisionChoiceView]
  let lengths: [ChoiceView]
  let replies: [ChoiceView]
  /// Set if another moderator has decided first: name, time and decision.
  let taken: String?

  /// - Parameter neighbours: The cases of a filtered queue; nil if all of the state are neighbours.
  init(
    _ found: ReportCase, _ model: CaseModel, _ seen: ModeratedItem, _ query: QueueQuery,
    neighbours: [ID<ReportCase>]?, entered: FormFields, errors: [String: FieldError],
    isTaken: Bool, _ context: Context
  ) {
    let formatter = CaseFormatter(context: context)
    let place = neighbours?.firstIndex(of: found.id)
    func neighbour(_ step: Int, _ otherwise: ID<ReportCase>?) -> String? {
      guard let neighbours else { return otherwise.map(query.link(to:)) }
      return place.flatMap { neighbours.indices.contains($0 + step) ? $0 + step : nil }
        .map { query.link(to: neighbours[$0]) }
    }
    action = query.link(to: found.id)
    before = neighbour(-1, model.before)
    next = neighbour(1, model.next)
    self.found = found
    self.model = model
    self.seen = seen
    self.entered = entered
    self.errors = errors.texts(context)
    stateName = context.text("admin.state.\(found.state.rawValue)")
    kind = context.text("admin.report.kind_\(found.target.kind.rawValue)")
    line = formatter.line(seen)
    around = seen.context.count > 1 ? AroundMessageView(seen.context, formatter) : nil
    author = formatter.author(model)
    reporters = model.reporters.map(formatter.reporter)
    reasons = model.reasons.map {
      ReasonView(
        name: context.text($0.reason.textKey), count: $0.count, maximum: found.reporters)
    }
    own = model.own.map { PastDecisionView($0, formatter) }
    earlier = model.earlier.map { PastDecisionView($0, formatter) }
    choices = formatter.choices(
      for: found.target.kind, chosen: entered["decision"], isStanding: found.target.kind == .person)
    lengths = formatter.lengths(chosen: entered["until"])
    replies = formatter.replies(chosen: entered["reply"])
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
      "other_texts": .list { $0.seen.otherTexts.map(TextItemView.init) },
      "has_other_texts": .flag { !$0.seen.otherTexts.isEmpty },
      "pictures": .list { $0.seen.pictures.map(BlurredPictureView.init) },
      "film": .optionalText { $0.seen.film },
      "has_pictures": .flag { !$0.seen.pictures.isEmpty },
      "voice": .optional { $0.seen.voice.map(ReportedVoiceView.init) },
      "around": .optional { $0.around },
      "hidden_by_reports": .flag { $0.found.isHiddenByReports },
      "count": .integer { $0.found.reporters },
      "reasons": .list { $0.reasons },
      "author": .text { $0.author },
      "reporters": .list { $0.reporters.map(TextItemView.init) },
      "counts_fewer": .flag { $0.reporters.count > $0.found.reporters },
      "has_reporters": .flag { !$0.reporters.isEmpty },
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
      "replies": .list { $0.replies },
      "note": .text { $0.entered["note"] },
      "action": .text { $0.action },
      "undo_action": .optionalText { one in
        one.model.undoable.map { ModerationLinks.undo($0, of: one.found.id) }
      },
      "before_link": .optionalText { $0.before },
      "next_link": .optionalText { $0.next },
    ])
}

/// A decision to choose, with the words of its button.
struct DecisionChoiceView: View {
  let decision: Decision
  let name: String
  let hint: String
  let act: String
  let isChosen: Bool

  static let fields: [String: Field<DecisionChoiceView>] = [
    "value": .text { $0.decision.rawValue },
    "name": .text { $0.name },
    "hint": .text { $0.hint },
    "act": .text { $0.act },
    "danger": .flag { $0.decision == .remove || $0.decision == .suspend },
    "chosen": .flag { $0.isChosen },
  ]
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

/// A voice note.
struct ReportedVoiceView: View {
  let voice: ReportedVoice

  init(_ voice: ReportedVoice) { self.voice = voice }

  static let fields: [String: Field<ReportedVoiceView>] = [
    "src": .text { $0.voice.path },
    "length": .text { DurationFormatter.clock(($0.voice.milliseconds + 500) / 1000) },
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
