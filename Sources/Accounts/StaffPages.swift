import Basics
import Templates
import Web

/// `/admin`: the front page of staff. Others get 404, as if there were nothing.
struct StaffPages {
  private let services: AccountServices
  private let page: Template<StaffView>

  init(_ services: AccountServices) throws {
    self.services = services
    page = try services.site.templates.template("staff/admin")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    guard viewer.role >= .moderator else {
      // Who is to be staff but has no second factor yet finds the way to it.
      if try services.staff.isStaff(viewer.id), try !services.secondFactor.isOn(viewer.id) {
        return .seeOther(AccountLinks.secondFactor)
      }
      throw Problem.notFound
    }
    let view = StaffView(page: PageView(context, title: "admin.title"), viewer: viewer)
    return .html(page.render(view, in: context.language))
  }
}

struct StaffView: View {
  let page: PageView
  let viewer: Viewer

  static let fields: [String: Field<StaffView>] = [
    "page": .child { $0.page },
    "name": .text { $0.viewer.face.name },
    "face": .child { FaceView($0.viewer.face) },
    "is_admin": .flag { $0.viewer.role == .admin },
    "trainings_link": .text { _ in WebLinks.adminTrainings },
  ]
}
