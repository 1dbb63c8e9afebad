import Core
import Films
import HTTPTypes
import Images
import Secrets
import Templates
import Web

/// `/moments/new`: the form of a new moment, and `POST /moments`, which makes it once.
struct NewMomentPages {
  private let services: MomentsEnvironment
  private let page: Page<NewMomentView>

  init(_ services: MomentsEnvironment) throws {
    self.services = services
    page = try Page("moments/new", title: "moments.new_title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard try context.signedIn().mayPost else { throw Problem.forbidden }
    return page.response(view(words: "", audience: .followers, [:], context), context)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let form = MomentForm(context.form)
    do {
      _ = try MomentMaker(services: services).make(
        form, by: viewer, now: context.now, note: context.noteError)
      context.flash("toast.moment_made")
      return .seeOther("/")
    } catch let problem as Problem {
      var errors = problem.fields
      if problem.status == .tooManyRequests { errors = ["file": FieldError("moments.many")] }
      if problem.status == .internalServerError {
        errors = ["file": FieldError("moments.file_failed")]
      }
      guard !errors.isEmpty else { throw problem }
      var response = page.response(
        view(words: form.words, audience: form.audience, errors, context), context,
        status: problem.status)
      if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
      return response
    }
  }

  private func view(
    words: String, audience: Moment.Audience, _ errors: [String: FieldError], _ context: Context
  ) -> NewMomentView {
    NewMomentView(
      nonce: Base64URL.text(RandomBytes.make(16)), words: words,
      audiences: Moment.Audience.allCases.map {
        ChoiceView(
          value: $0.rawValue, name: context.text($0.textKey), isChosen: $0 == audience)
      },
      takesFilms: services.films.isAvailable, errors: errors.texts(context))
  }
}

extension Moment.Audience {
  fileprivate var textKey: String {
    switch self {
    case .followers: "moments.for_followers"
    case .couple: "moments.for_couple"
    }
  }
}

struct NewMomentView: FormContent {
  let nonce: String
  let words: String
  let audiences: [ChoiceView]
  let takesFilms: Bool
  let errors: [String: String]

  static let fields: [String: Field<NewMomentView>] = formFields(
    errors: ["file", "words"],
    [
      "action": .text { _ in MomentLinks.moments },
      "nonce": .text { $0.nonce },
      "words": .text { $0.words },
      "audiences": .list { $0.audiences },
      "takes_films": .flag { $0.takesFilms },
      // In bytes, for the script that asks before it sends.
      "most": .integer { $0.takesFilms ? FilmLimits.filmBytes : PictureLimits.bytes },
      "most_picture": .integer { _ in PictureLimits.bytes },
    ])
}
