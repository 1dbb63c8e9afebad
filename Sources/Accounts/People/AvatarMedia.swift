import Core
import Images
import Web

/// `/media/couples/{id}/avatar/{file}`: the avatars of couples and users, while in use.
struct AvatarMedia {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let couple = try context.id("id", Couple.self)
    let name = context.parameters["file"] ?? ""
    let size = ["original_", "thumb_"].first { name.hasPrefix($0) }
    guard let size, name.hasSuffix(".jpg"),
      let id = ID<PictureFiles.Name>(name.dropFirst(size.count).dropLast(4))
    else { throw Problem.notFound }
    let folder = "couples/\(couple)/avatar"
    let seen = try services.couples.avatar("\(folder)/thumb_\(id).jpg", to: context.viewer)
    guard seen.found else { throw Problem.notFound }
    return .protectedFile(
      at: services.media.location(of: "\(folder)/\(size)\(id).jpg"), contentType: "image/jpeg",
      cacheControl: MediaCaching.header(forAll: seen.forAll))
  }
}
