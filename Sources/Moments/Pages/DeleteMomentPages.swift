import Core
import Templates
import Web

/// `/moments/{couple}/{moment}/delete`: asks for confirmation, and deletes a moment.
struct DeleteMomentPages {
  private let services: MomentsEnvironment
  private let page: QuestionPage

  private var service: MomentService { MomentService(services: services) }

  init(_ services: MomentsEnvironment) throws {
    self.services = services
    page = try QuestionPage(in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let moment = try context.moment(services)
    guard moment.mayDelete(try context.signedIn()) else { throw Problem.notFound }
    return page.response(
      Question(
        title: context.text("moments.delete_title"), text: context.text("moments.delete_text"),
        button: context.text("moments.delete"),
        action: MomentLinks.delete(moment.id, of: moment.couple), inputs: [],
        cancel: MomentLinks.moment(moment.id, of: moment.couple)), context)
  }

  @Sendable func delete(_ context: Context) throws -> Response {
    let moment = try context.moment(services)
    guard moment.mayDelete(try context.signedIn()) else { throw Problem.notFound }
    try service.delete(moment.id, by: context.signedIn(), now: context.now)
    context.flash("toast.moment_deleted")
    return .seeOther("/")
  }
}
