import Core
import Foundation
import Secrets
import Templates
import Web
import WorkoutFiles

/// `/workouts/{id}/share`: makes a post of a workout, the only way to show it to other users; and
/// `/workouts/{id}/picture`: the picture of that post.
struct WorkoutSharePages {
  private let site: AppEnvironment
  private let service: WorkoutService
  private let trainings: any FollowableTrainings
  private let posts: any PicturePostCreator
  private let page: Page<WorkoutShareView>

  /// Throws if the template doesn't compile.
  init(
    _ site: AppEnvironment, service: WorkoutService, trainings: any FollowableTrainings,
    posts: any PicturePostCreator
  ) throws {
    self.site = site
    self.service = service
    self.trainings = trainings
    self.posts = posts
    page = try Page("workouts/share", title: "workout_share.title", in: site)
  }

  var routes: [Route] {
    let path = "\(WorkoutLinks.history)/:id"
    return [
      Route(
        .get, "\(path)/share", .atLeast(.member), options: .closedToSuspended, handler: show),
      Route(
        .post, "\(path)/share", .atLeast(.member), options: [.closedToSuspended, .paragraphs],
        handler: send),
      Route(.get, "\(path)/picture", .atLeast(.guest), options: .noStore, handler: picture),
    ]
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let (workout, _) = try found(context)
    let form = WorkoutShareForm(content: try words(of: workout, context))
    return page.response(WorkoutShareView(id: workout.id, form: form, errors: [:]), context)
  }

  @Sendable func picture(_ context: Context) throws -> Response {
    let (_, samples) = try found(context)
    return Response(
      .ok, headers: [.contentType: "image/png"], body: WorkoutPicture(samples).png())
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    guard viewer.mayPost else { throw Problem.forbidden }
    let (workout, samples) = try found(context)
    let form = WorkoutShareForm(context.form)
    let picture = WorkoutPicture(samples)
    let file = URL(fileURLWithPath: "\(site.uploadFolder)/upload-\(ID<WorkoutPicture>.random())")
    try Data(picture.png()).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let post = PicturePost(
      text: form.content, audience: form.audience, picture: file.path,
      description: picture.kind.map {
        context.text("workout_share.curve", ["what": context.text($0.titleKey)])
      } ?? "", nonce: form.nonce)
    do {
      let link = try posts.post(post, by: viewer, now: context.now)
      context.flash("toast.posted")
      return .seeOther(link)
    } catch let error as PicturePostError {
      let view = WorkoutShareView(
        id: workout.id, form: form, errors: ["content": error.text(context)])
      return page.response(view, context, after: error)
    }
  }

  private func found(_ context: Context) throws -> (workout: Workout, samples: RecordedSamples) {
    let viewer = try context.signedIn()
    let id: ID<Workout> = try context.id()
    return try service.database.read { reader in
      guard let workout = try service.workouts.find(id, of: viewer.id, in: reader) else {
        throw Problem.notFound
      }
      return (
        workout,
        try service.workouts.samples(of: id, viewer.id, in: reader) ?? RecordedSamples()
      )
    }
  }

  /// "Evening ride · 30:00 · 13.9 km · 147 W".
  private func words(of workout: Workout, _ context: Context) throws -> String {
    let formatter = WorkoutFormatter(context)
    let names = try service.database.read {
      try trainings.names(of: Set([workout.content.training].compactMap { $0 }), in: $0)
    }
    let content = workout.content
    let distance = content.distance.value >= 1 ? formatter.distance(content.distance).text : nil
    let figure = formatter.main(content)?.text
    return [
      formatter.title(workout, names), formatter.clock(content.duration), distance,
      figure == distance ? nil : figure,
    ].compactMap { $0 }.joined(separator: " · ")
  }
}

/// The content of the post; for the couple only by default.
struct WorkoutShareForm {
  let nonce: String
  let content: String
  let audience: PicturePost.Audience

  init(content: String) {
    nonce = ""
    self.content = content
    audience = .couple
  }

  init(_ form: Form) {
    nonce = FieldLimits.nonce.beginning(of: form["nonce"])
    content = form["content"].asParagraphs
    audience = PicturePost.Audience(rawValue: form["visibility"]) ?? .couple
  }
}

struct WorkoutShareView: FormContent {
  let id: ID<Workout>
  let form: WorkoutShareForm
  let errors: [String: String]

  static let fields: [String: Field<WorkoutShareView>] = formFields(
    errors: ["content"],
    [
      "action": .text { WorkoutLinks.share($0.id) },
      "link": .text { WorkoutLinks.one($0.id) },
      "src": .text { WorkoutLinks.picture($0.id) },
      "nonce": .text { _ in Base64URL.text(RandomBytes.make(16)) },
      "content": .text { $0.form.content },
      "public": .flag { $0.form.audience == .everyone },
      "followers": .flag { $0.form.audience == .followers },
      "couple": .flag { $0.form.audience == .couple },
    ])
}
