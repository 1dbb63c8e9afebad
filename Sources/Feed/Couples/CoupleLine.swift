import Core
import Templates
import Web

/// A couple in a list on a page: name, members and link.
struct CoupleLineView: View {
  let id: ID<Couple>
  let name: String
  let people: [Viewer.Avatar]

  static let fields: [String: Field<CoupleLineView>] = [
    "link": .text { FeedLinks.couple($0.id) },
    "name": .text { $0.name },
    "people": .list { $0.people.map(AvatarView.init) },
  ]
}

/// A member of a couple in a list.
struct CoupleMemberResponse: JSONResponse {
  let avatar: Viewer.Avatar
  let baseURL: String

  static let jsonName = "CoupleFace"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("display_name", example: "Mei") { $0.avatar.name },
    JSONField("avatar_url", note: "Null if there is no picture.") { record in
      record.avatar.avatar.map { record.baseURL + $0 }
    },
  ]
}
