import Accounts
import Core
import Database
import Web

/// `/api/v1/couples/{id}/block` and `/api/v1/blocks` (docs/api/README.md).
struct BlockAPI {
  private static let list = "blocks"

  let services: FeedEnvironment

  private var service: BlockService { BlockService(services: services) }

  var routes: [Route] {
    [
      .api(
        .post, "/couples/:id/block", .atLeast(.member),
        Operation(
          "Block a couple", .couples,
          note: "The two couples no longer see anything of each other. Repeating it has no effect.",
          errors: [.validationError]), handler: block),
      .api(
        .delete, "/couples/:id/block", .atLeast(.member),
        Operation("Unblock a couple", .couples), handler: unblock),
      .api(
        .get, "/blocks", .atLeast(.member),
        Operation("List blocked couples", .couples), handler: all),
    ]
  }

  @Sendable private func block(_ context: Context) throws -> NoContent {
    try service.block(context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func unblock(_ context: Context) throws -> NoContent {
    try service.unblock(context.id(), by: context.signedIn())
    return NoContent()
  }

  @Sendable private func all(_ query: ListQuery, _ context: Context) throws -> BlocksResponse {
    let place = try context.place(of: query.cursor, in: Self.list, Couple.self)
    let viewer = try context.signedIn()
    let page = try ListPage(
      limit: query.limit, cursor: { PageCursor<Couple>(at: $0.at, id: $0.id) },
      find: { try service.list(of: viewer, after: place, limit: $0) })
    return BlocksResponse(
      blocks: page.rows.map(BlockResponse.init), next: context.nextCursor(page, in: Self.list))
  }
}

/// A page of blocked couples.
struct BlocksResponse: JSONResponse {
  let blocks: [BlockResponse]
  let next: String?

  static let jsonName = "Blocks"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("blocks", note: "Newest first.") { $0.blocks },
    JSONField("next_cursor", note: "For older entries; null on the last page.") { $0.next },
  ]
}

/// A blocked couple.
struct BlockResponse: JSONResponse {
  let blocked: BlockStore.Blocked

  init(_ blocked: BlockStore.Blocked) { self.blocked = blocked }

  static let jsonName = "Block"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id", note: "The couple's identifier.") { $0.blocked.id },
    JSONField("couple_name", example: "Mei & Jun") { $0.blocked.name },
    JSONField("blocked_at") { $0.blocked.at },
  ]
}
