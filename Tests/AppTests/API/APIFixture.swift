import Core
import Database
import Foundation
import HTTPTypes
import Logging
import Synchronization
import Web

@testable import App

/// A small test API on an instance's database: items that are created, listed and uploaded.
final class APIFixture: Sendable {
  enum Item {}

  struct ItemResponse: JSONResponse {
    let id: ID<Item>
    let name: String

    static let jsonFields: [JSONField<Self>] = [
      JSONField("id") { $0.id },
      JSONField("name") { $0.name },
    ]
  }

  struct ItemList: JSONResponse {
    let things: [ItemResponse]
    let nextCursor: String?

    static let jsonFields: [JSONField<Self>] = [
      JSONField("things") { $0.things },
      JSONField("next_cursor") { $0.nextCursor },
    ]
  }

  struct NewItem: JSONRequest {
    var name = ""

    static let jsonFields: [InputField<Self>] = [.required("name") { $0.name = $1 }]
  }

  /// Behaviour of the handler besides creating the item.
  enum Mood: Sendable {
    case well
    case refusesBefore
    case failsBefore
    case failsAfter
    case isFullBefore
    case isFullAfter
    case callsBack(@Sendable () -> Void)
  }

  struct Died: Error {}

  /// Accepts one token.
  struct OneToken: AccessTokenAuthenticator {
    let viewer: Viewer

    func find(_ token: String, now: Instant) throws -> AccessGrant {
      if token == "old" { throw Problem(.tokenExpired) }
      guard token == "good" else { throw Problem(.invalidToken) }
      return AccessGrant(viewer: viewer, family: .random())
    }
  }

  /// Runs the body on another thread and waits for it.
  static func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      done.signal()
    }
    done.wait()
  }

  let mood = Mutex(Mood.well)
  private let database: Database

  init(_ instance: TestInstance) throws {
    database = instance.database
    try instance.migrate(
      "CREATE TABLE things (id BLOB PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL) STRICT")
  }

  var count: Int {
    (try? database.read { try $0.count("SELECT count(*) FROM things") }) ?? -1
  }

  func application(_ instance: TestInstance, token viewer: Viewer? = nil) throws -> Application {
    var site = instance.instance.site
    if let viewer { site.access = OneToken(viewer: viewer) }
    return try Application(
      site: site, routes: instance.instance.routes + routes,
      log: RequestLog(descriptor: -1, keys: instance.instance.keys))
  }

  private var routes: [Route] {
    [
      .api(
        .post, "/things", .atLeast(.member), Operation("Make a thing", .account),
        options: .idempotent, handler: make),
      .api(.get, "/things", .atLeast(.guest), Operation("List things", .account), handler: list),
      .api(.delete, "/things/:id", .atLeast(.member), Operation("Remove one", .account)) {
        (context: Context) in
        _ = try context.id("id", Item.self)
        return NoContent()
      },
      .api(
        .post, "/uploads", .atLeast(.member), Operation("Upload", .account),
        form: [.init("name", .text), .init("file", .file, isRequired: true)],
        options: .idempotent, bodyLimit: 1 << 20
      ) { (form: Form, context: Context) in
        guard let file = form.files.first else {
          throw Problem.invalid(["file": FieldError("api.field_missing")])
        }
        return Created(try self.add("\(form["name"]) \(file.bytes)", context))
      },
      .api(.get, "/staff", .atLeast(.moderator), Operation("For staff", .account)) { _ in
        NoContent()
      },
      .api(
        .post, "/strangers", .anyone, Operation("For who signs in", .signingIn),
        options: .withoutViewer
      ) { (context: Context) in
        if context.viewer != nil { throw Problem(.internal) }
        return NoContent()
      },
      .api(
        .get, "/secret", .atLeast(.guest), Operation("Not to be kept", .account), options: .noStore
      ) { (_: Context) throws -> ItemResponse in ItemResponse(id: .random(), name: "secret") },
      .api(.get, "/limited", .atLeast(.guest), Operation("Limited", .account)) {
        (_: Context) throws -> NoContent in throw Problem.tooMany(retryAfter: 7)
      },
      .api(.get, "/full", .atLeast(.guest), Operation("Full", .account)) {
        (_: Context) throws -> NoContent in throw StorageError.full
      },
      .api(.get, "/broken", .atLeast(.guest), Operation("Broken", .account)) {
        (_: Context) throws -> NoContent in throw Died()
      },
    ]
  }

  private func add(_ name: String, _ context: Context) throws -> ItemResponse {
    let id = ID<Item>(now: context.now)
    try database.write {
      try $0.execute("INSERT INTO things VALUES (\(id), \(name), \(context.now))")
    }
    return ItemResponse(id: id, name: name)
  }

  @Sendable private func make(
    _ new: NewItem, _ context: Context
  ) throws -> Created<ItemResponse> {
    let mood = mood.withLock { $0 }
    if case .refusesBefore = mood { throw Problem.invalid(["name": FieldError("api.field_text")]) }
    if case .failsBefore = mood { throw Died() }
    if case .isFullBefore = mood { throw StorageError.full }
    if case .callsBack(let body) = mood { body() }
    let made = try add(new.name, context)
    if case .failsAfter = mood { throw Died() }
    if case .isFullAfter = mood { throw StorageError.full }
    return Created(made)
  }

  @Sendable private func list(_ query: ListQuery, _ context: Context) throws -> ItemList {
    let place = try context.place(of: query.cursor, in: "things", Item.self)
    let page = try ListPage(
      limit: query.limit, cursor: { PageCursor<Item>(at: $0.2, id: $0.0) },
      find: { limit in
        try database.read { reader in
          try reader.rows(
            """
            SELECT id, name, at FROM things
            WHERE (at, id) > (\(place?.at ?? Instant(milliseconds: 0)), \(place?.id.bytes ?? []))
            ORDER BY at, id LIMIT \(limit)
            """
          ) { (try $0.next(ID<Item>.self), try $0.next(String.self), try $0.next(Instant.self)) }
        }
      })
    return ItemList(
      things: page.rows.map { ItemResponse(id: $0.0, name: $0.1) },
      nextCursor: context.nextCursor(page, in: "things"))
  }
}
