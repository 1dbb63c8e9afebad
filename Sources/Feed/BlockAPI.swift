import Accounts
import Basics
import Web

/// `/api/v1/couples/{id}/block` and `/api/v1/blocks` (docs/api/README.md).
struct BlockAPI {
  private static let list = "blocks"

  let services: FeedServices

  private var desk: BlockDesk { BlockDesk(services: services) }

  var routes: [Route] {
    [
      .api(
        .post, "/couples/:id/block", .atLeast(.member),
        Operation(
          "Block a couple", .couples,
          note: "Neither sees anything of the other's from then on. Twice is once.",
          errors: [.validationError]), handler: block),
      .api(
        .delete, "/couples/:id/block", .atLeast(.member),
        Operation("Take a block back", .couples), handler: unblock),
      .api(
        .get, "/blocks", .atLeast(.member),
        Operation("Couples that you blocked", .couples), handler: all),
    ]
  }

  @Sendable private func block(_ context: Context) throws -> Done {
    try desk.block(context.id(), by: context.signedIn(), now: context.now)
    return Done()
  }

  @Sendable private func unblock(_ context: Context) throws -> Done {
    try desk.unblock(context.id(), by: context.signedIn())
    return Done()
  }

  @Sendable private func all(_ query: ListQuery, _ context: Context) throws -> BlocksRecord {
    let place = try context.place(of: query.cursor, in: Self.list, Couple.self)
    let found = try desk.list(of: context.signedIn(), after: place, limit: query.limit + 1)
    let page = context.page(of: found, limit: query.limit, in: Self.list) {
      ListPlace<Couple>(at: $0.at, id: $0.id)
    }
    return BlocksRecord(blocks: page.rows.map(BlockRecord.init), next: page.nextCursor)
  }
}

/// A page of blocked couples.
struct BlocksRecord: JSONRecord {
  let blocks: [BlockRecord]
  let next: String?

  static let jsonName = "Blocks"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("blocks", note: "Latest first.") { $0.blocks },
    JSONField("next_cursor", note: "For the older ones; null at the end.") { $0.next },
  ]
}

/// One of them.
struct BlockRecord: JSONRecord {
  let blocked: BlockStore.Blocked

  init(_ blocked: BlockStore.Blocked) { self.blocked = blocked }

  static let jsonName = "Block"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id", note: "The couple's.") { $0.blocked.id },
    JSONField("couple_name", example: "Mei & Jun") { $0.blocked.name },
    JSONField("blocked_at") { $0.blocked.at },
  ]
}
