import Core
import Images
import Templates
import Web

/// One moment with its surroundings.
struct MomentView: View {
  let shown: CoupleMoments
  /// The place of the moment, from 0.
  let number: Int
  let moment: Moment
  let age: String
  let before: String?
  let after: String?
  let answer: AnswerFormView?
  let viewerCount: Int?
  /// The reason why the picture could not be kept.
  let keepError: String?
  let mayDelete: Bool
  let mayKeep: Bool
  let maySaveFilm: Bool
  let mayReport: Bool

  init(
    _ shown: CoupleMoments, number: Int, nextCouple: ID<Couple>?, answer: AnswerFormView?,
    viewerCount: Int?, keepError: String?, _ viewer: Viewer, _ context: Context
  ) {
    self.shown = shown
    self.number = number
    moment = shown.moments[number]
    age = DateFormatting(context).age(moment.createdAt)
    before = number > 0 ? Self.link(number - 1, of: shown) : nil
    after =
      number < shown.moments.count - 1
      ? Self.link(number + 1, of: shown) : nextCouple.map(MomentLinks.couple)
    self.answer = answer
    self.viewerCount = viewerCount
    self.keepError = keepError
    mayDelete = moment.mayDelete(viewer)
    mayKeep = moment.maySeeViewers(viewer)
    maySaveFilm = moment.maySaveFilm(viewer)
    mayReport = moment.mayReport(viewer)
  }

  private static func link(_ number: Int, of shown: CoupleMoments) -> String {
    MomentLinks.moment(shown.moments[number].id, of: shown.couple)
  }

  private var hasMenu: Bool { mayDelete || mayKeep || mayReport }

  static let fields: [String: Field<MomentView>] = [
    "id": .text { $0.moment.id.description },
    "link": .text { MomentLinks.moment($0.moment.id, of: $0.moment.couple) },
    "couple_name": .text { $0.shown.name },
    "couple_link": .text { WebLinks.couple($0.shown.couple) },
    "people": .list { $0.shown.people.map(AvatarView.init) },
    "name": .text { $0.moment.avatar.name },
    "age": .text { $0.age },
    "moment": .text { $0.moment.createdAt.rfc3339 },
    "for_couple": .flag { $0.moment.audience == .couple },
    "hidden": .flag { $0.moment.isHidden },
    "words": .optionalText { $0.moment.words.isEmpty ? nil : $0.moment.words },
    "number": .integer { $0.number + 1 },
    "total": .integer { $0.shown.moments.count },
    "bars": .list { view in
      view.shown.moments.indices.map {
        MomentBarView(isDone: $0 < view.number, isCurrent: $0 == view.number)
      }
    },
    "milliseconds": .integer { _ in MomentRules.pictureMilliseconds },
    "picture": .optional { $0.moment.isFilm ? nil : MomentPictureView(moment: $0.moment) },
    "film": .optional { $0.moment.isFilm ? MomentFilmView(moment: $0.moment) : nil },
    "before": .optionalText { $0.before },
    "after": .optionalText { $0.after },
    "answer_form": .optional { $0.answer },
    "viewers": .optional { view in
      view.viewerCount.map {
        MomentViewersLinkView(
          link: MomentLinks.viewers(of: view.moment.id, of: view.moment.couple), count: $0)
      }
    },
    "keep_error": .optionalText { $0.keepError },
    "menu": .flag { $0.hasMenu },
    "keep_action": .optionalText {
      $0.mayKeep && !$0.moment.isFilm ? MomentLinks.keep($0.moment.id, of: $0.moment.couple) : nil
    },
    "film_link": .optionalText {
      $0.maySaveFilm ? MomentLinks.film($0.moment.id, of: $0.moment.couple) : nil
    },
    "keep_no_film": .flag { $0.mayKeep && $0.moment.isFilm },
    "delete_link": .optionalText {
      $0.mayDelete ? MomentLinks.delete($0.moment.id, of: $0.moment.couple) : nil
    },
    "report_link": .optionalText {
      $0.mayReport ? MomentLinks.report($0.moment.id, of: $0.moment.couple) : nil
    },
  ]
}

/// A bar of the progress: one for each moment of the couple.
struct MomentBarView: View {
  let isDone: Bool
  let isCurrent: Bool

  static let fields: [String: Field<MomentBarView>] = [
    "done": .flag { $0.isDone },
    "current": .flag { $0.isCurrent },
  ]
}

struct MomentPictureView: View {
  let moment: Moment

  private var webP: String? {
    guard case .picture(_, let hasWebP) = moment.content, hasWebP else { return nil }
    return moment.picture(.medium, fileExtension: "webp")
  }

  static let fields: [String: Field<MomentPictureView>] = [
    "src": .text { $0.moment.picture(.medium) },
    "src_webp": .optionalText { $0.webP },
    "width": .integer { $0.moment.width },
    "height": .integer { $0.moment.height },
  ]
}

struct MomentFilmView: View {
  let moment: Moment

  static let fields: [String: Field<MomentFilmView>] = [
    "src": .text { $0.moment.film ?? "" },
    "poster": .text { $0.moment.picture(.original) },
    "width": .integer { $0.moment.width },
    "height": .integer { $0.moment.height },
    "sound": .flag { $0.moment.hasSound },
  ]
}

/// The link to the members who have seen a moment.
struct MomentViewersLinkView: View {
  let link: String
  let count: Int

  static let fields: [String: Field<MomentViewersLinkView>] = [
    "link": .text { $0.link },
    "count": .integer { $0.count },
  ]
}

/// The form of an answer.
struct AnswerFormView: FormContent {
  let moment: Moment
  let clientID: String
  let text: String
  let isRequest: Bool
  let errors: [String: String]

  static let fields: [String: Field<AnswerFormView>] = formFields(
    errors: ["text"],
    [
      "action": .text { MomentLinks.answer($0.moment.id, of: $0.moment.couple) },
      "client_id": .text { $0.clientID },
      "text": .text { $0.text },
      "request": .flag { $0.isRequest },
    ])
}
