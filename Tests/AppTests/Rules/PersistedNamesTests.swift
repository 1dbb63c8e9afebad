import Database
import Foundation
import Secrets
import Testing
import Web

@testable import App

/// Names that are stored or known to others: changing one affects data, links or other programs.
/// Each list is compared with a file in `PersistedNames`, which renaming types and files leaves
/// unchanged.
///
/// With `PAIRSPOT_FREEZE_DIR` the lists are written into that folder instead.
@Suite("Names that are stored or seen from outside")
struct PersistedNamesTests {
  enum List: String, CaseIterable {
    case apiFields = "api-fields"
    case columns, cookies
    case dataFiles = "data-files"
    case exportFiles = "export-files"
    case headers
    case jobs, keys, mails, metrics, migrations, routes, scripts, sealing, settings, values
  }

  private static let freezeFolder = ProcessInfo.processInfo.environment["PAIRSPOT_FREEZE_DIR"]
  private static let folder = TestInstance.checkout.appending(path: "Tests/AppTests/PersistedNames")

  @Test(
    "Each name is as it always was", .onSQLite("PostgreSQLMigrationTests compares the schemas"),
    arguments: List.allCases)
  func unchanged(list: List) throws {
    let now = try Self.names(list)
    try #require(!now.isEmpty)
    if let folder = Self.freezeFolder {
      let text = now.joined(separator: "\n") + "\n"
      try text.write(
        to: URL(filePath: folder).appending(path: "\(list.rawValue).txt"), atomically: true,
        encoding: .utf8)
      return
    }
    let known = try Self.known(list)
    let (gone, new) = (known.filter { !now.contains($0) }, now.filter { !known.contains($0) })
    #expect(gone == [], "no longer there: PersistedNames/\(list.rawValue).txt has them")
    #expect(new == [], "new: PersistedNames/\(list.rawValue).txt doesn't have them")
    if gone.isEmpty && new.isEmpty { #expect(now == known, "in another order") }
  }

  @Test("Each file belongs to a comparison", .enabled(if: freezeFolder == nil))
  func complete() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(List.allCases.map { "\($0.rawValue).txt" }))
  }

  private static func known(_ list: List) throws -> [String] {
    let file = folder.appending(path: "\(list.rawValue).txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  // MARK: Current names

  private static func names(_ list: List) throws -> [String] {
    switch list {
    case .apiFields: try apiFields()
    case .columns: try columns()
    case .cookies: try cookies()
    case .dataFiles: try dataFiles()
    case .exportFiles: try exportFiles()
    case .headers:
      try literals(#""(X-[A-Za-z-]+|Idempotency-Key|Last-Event-ID)""#, in: ["Sources", "public"])
    case .jobs:
      try TestInstance().instance.jobs.map(\.name).sorted() + WorkerQueues.all.map(\.heartbeat)
    case .keys: try literals(#"\bpurpose(?:: | = )"([^"]+)""#, in: ["Sources"])
    case .mails: try mails()
    case .metrics: try metrics()
    case .migrations:
      // With a hash of the statements: a released migration never changes, not even a comment.
      Migrations.all.map {
        "\($0.name) \(Data(Digests.sha256(Array($0.sql.utf8))).base64EncodedString())"
      }
    case .routes: try routes()
    case .scripts: try scripts()
    case .sealing: try sealing()
    case .settings:
      try literals(#""((?:PAIRSPOT|SMTP|RESEND|FROM|APPLE)_[A-Z_]+)""#, in: ["Sources"])
    case .values: PersistedValues.all.map { "\($0.0): \($0.1.joined(separator: " | "))" }
    }
  }

  /// Tables with their columns and types, indexes and triggers.
  private static func columns() throws -> [String] {
    try TestInstance().database.read { reader in
      let things = try reader.rows(
        "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
      ) { (type: try $0.next(String.self), name: try $0.next(String.self)) }
      return try things.flatMap { thing in
        guard thing.type == "table" || thing.type == "view" else {
          return ["\(thing.type) \(thing.name)"]
        }
        return try reader.rows("SELECT name, type FROM pragma_table_info(\(thing.name))") {
          "\(thing.name).\(try $0.next(String.self)) \(try $0.next(String.self))"
            .trimmingCharacters(in: .whitespaces)
        }
      }
    }
  }

  /// For files that set cookies, also the names used to distinguish them.
  private static func cookies() throws -> [String] {
    let direct = try literals(
      #"(?:[cC]ookie\(|cookies\[|SealedCookie\(name: |value\(named: )"([A-Za-z_-]+)""#,
      in: ["Sources"])
    let apart = try files(in: "Sources", ".swift")
      .filter { $0.text.contains(/setCookie|cookies\[/) }
      .flatMap { try found(#"\blet (?:cookie|name) = "([^"]+)""#, $0.text) }
    let scripts = try literals(#"document\.cookie = `([a-z]+)="#, in: ["public"])
    return Set(direct + apart + scripts).sorted()
  }

  /// Files of a data folder except those named after an identifier; then field names in the files
  /// of secrets, and names that a running instance adds.
  private static func dataFiles() throws -> [String] {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    try ann.writeWithPicture("With a picture")
    _ = try ann.addPhoto()
    try instance.work()
    let paths =
      FileManager.default.enumerator(atPath: instance.folder.path)?
      .compactMap { $0 as? String } ?? []
    let plain = paths.map { $0.replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "ID") }
      .map { $0.replacing(/[0-9]{6,}[0-9A-Za-z-]*/, with: "NUMBER") }
    let secrets = try paths.filter { $0.hasSuffix(".json") && $0.contains("secrets/") }
      .flatMap { path in
        let file = instance.folder.appending(path: path)
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return fields(of: json, in: path)
      }
    let running = try literals(
      #"\\\((?:data|folder|runFolder|configuration\.runFolder)\)/([a-z][a-zA-Z0-9.-]+)"#,
      in: ["Sources"])
    return Set(plain + secrets).sorted() + running.map { "…/\($0)" }
  }

  /// The files of an export and their fields.
  private static func exportFiles() throws -> [String] {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first)
    let browser = try instance.signedIn("ann")
    let post = try browser.writeWithPicture("With a picture")
    browser.post("\(post)/like")
    try instance.signedIn("ben").writeWithPicture("Something to be told of")
    try instance.alone("sam")
    let other = try instance.signedIn("sam").writeWithPicture("Something to report")
    browser.post("\(other)/report", ["reason": "spam", "note": ""])
    let couple = try #require(browser.get(other).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/))
    browser.post("\(couple.output)/follow")
    _ = browser.begin("Ann", contact: "pat@example.test")
    _ = try browser.addPhoto()
    try instance.upload([instance.workout()], ann)
    try instance.instance.features.wallet.grant(5, to: ann.id, at: instance.clock.now())
    return try instance.database.read { reader in
      let all = instance.instance.participants
      let files = try all.flatMap { try $0.export(ann.id, from: reader) }
      let named = try files.flatMap { file -> [String] in
        let name = file.name.replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "ID")
        guard let bytes = try file.bytes(in: reader), name.hasSuffix(".json") else { return [name] }
        let json = try JSONSerialization.jsonObject(with: Data(bytes))
        return [name] + fields(of: json, in: name)
      }
      let media = try all.flatMap { try $0.exportedMedia(of: ann.id, from: reader) }
        .map { $0.name.replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "ID") }
        .map { $0.replacing(/[0-9]+\./, with: "NUMBER.") }
      return Set(named + media).sorted()
    }
  }

  /// Every property in the API's document, with its schema.
  private static func apiFields() throws -> [String] {
    let answer = try TestInstance().browser().get("/api/v1/openapi.json")
    let json = try JSONSerialization.jsonObject(with: Data(answer.text.utf8))
    return Set(properties(of: json)).sorted()
  }

  private static func properties(of json: Any) -> [String] {
    switch json {
    case let object as [String: Any]:
      let own = (object["properties"] as? [String: Any])?.keys.map { String($0) } ?? []
      let values = (object["enum"] as? [String])?.map { "= \($0)" } ?? []
      return own + values + object.values.flatMap { properties(of: $0) }
    case let list as [Any]: return list.flatMap { properties(of: $0) }
    default: return []
    }
  }

  /// Mails are named by their templates, in whatever folder these are.
  private static func mails() throws -> [String] {
    try files(in: "templates/mail", ".text.mustache")
      .compactMap { $0.name.split(separator: "/").last }.sorted()
      .map { String($0.dropLast(".text.mustache".count)) }
  }

  private static func metrics() throws -> [String] {
    let shown = try TestInstance().browser().get("/metrics").text.split(separator: "\n")
      .filter { $0.hasPrefix("# TYPE ") }.map { String($0.dropFirst(7)) }
    let written = try literals(#""(pairspot_[a-z_]+)"#, in: ["Sources"])
    return Set(shown.filter { !$0.contains("_security_") } + written).sorted()
  }

  /// `Access` is the required role; options are those of `Route.Options`.
  private static func routes() throws -> [String] {
    try TestInstance().instance.routes.map { route in
      let access =
        switch route.access {
        case .anyone: "anyone"
        case .signedOut: "signed out"
        case .atLeast(let role): "at least \(role.rawValue)"
        }
      return "\(route.name) - \(access), options \(route.options.rawValue), "
        + "body \(route.bodyLimit)"
    }.sorted()
  }

  /// Names that scripts store in browsers. Parts known only at run time are dots.
  private static func scripts() throws -> [String] {
    let kinds = [
      (
        "constant",
        #"(?m)^const (?:NAME|KEY|LOCK|ASKED|ATTEMPT|EPOCH|PREFIX|READER|WHOLE|STORES) = (.+);$"#
      ),
      ("store", #"createObjectStore\((.+)\);"#), ("index", #"createIndex\((.+)\);"#),
      ("lock", #"(?:exclusively|sendForms)\(("[^"]+")"#),
      ("channel", #"BroadcastChannel\(("[^"]+")\)"#),
      ("kept", #"(?:sessionStorage|localStorage)\.\w+\(("[^"]+")"#),
      ("key", #"(?:this\.key =|prefix = \(\) =>|return) (`[a-z-]+[ :-]\$\{[^`]*`);"#),
      (
        "told",
        #"(?:loadValue|tell|told\.(?:get|put|delete))\(\[?[a-zA-Z".]*(?:\(\))?,? ?("[a-z-]+")"#
      ),
      ("told", #"\buser: [^,]+, name: ("[a-z-]+")"#),
    ]
    let texts = try files(in: "public", ".js").filter { !$0.name.hasPrefix("vendor/") }
      .map(\.text)
    return try kinds.flatMap { kind, pattern in
      let names = try texts.flatMap { try found(pattern, $0) }
      return Set(names.map { $0.replacing(/\$\{[^}]*\}/, with: "…") }).sorted().map {
        "\(kind) \($0)"
      }
    }
  }

  /// Contexts of sealed values: table and name. Parts known only at run time are dots.
  private static func sealing() throws -> [String] {
    let texts = try files(in: "Sources", ".swift").map(\.text)
    let columns = texts.flatMap { text in
      text.matches(
        of: /EncryptedColumn(?:<\w+>)?\(\s*table: "([^"]+)",[^)]*?name: ("(?:[^"\\]|\\.)+")/
      ).map { match in
        let name = match.output.2.replacing(/\\\([^)]*\)/, with: "…")
        return "\(match.output.1) \(name)"
      }
    }
    let others = texts.flatMap { text in
      text.matches(of: /AssociatedData\(table: "([^"]+)", row: [^,]+, column: .+\)\n/).map {
        "\($0.output.1) …"
      }
    }
    return Set(columns + others).sorted()
  }

  // MARK: Reading

  private static func files(
    in folder: String, _ ending: String
  ) throws -> [(name: String, text: String)] {
    try CatalogueUsageTests.files(below: TestInstance.checkout.appending(path: folder), ending)
  }

  private static func literals(_ pattern: String, in folders: [String]) throws -> [String] {
    let texts = try folders.flatMap {
      try files(in: $0, $0 == "public" ? ".js" : ".swift").map(\.text)
    }
    return try Set(texts.flatMap { try found(pattern, $0) }).sorted()
  }

  /// Matches of the only group of a pattern.
  private static func found(_ pattern: String, _ text: String) throws -> [String] {
    let regex = try Regex(pattern, as: (Substring, Substring).self)
    return text.matches(of: regex).map { String($0.output.1) }
  }

  /// The names of all fields of a JSON value; those of list elements once.
  private static func fields(of json: Any, in place: String) -> [String] {
    switch json {
    case let object as [String: Any]:
      return object.flatMap {
        ["\(place) \($0.key)"] + fields(of: $0.value, in: "\(place) \($0.key)")
      }
    case let list as [Any]: return list.flatMap { fields(of: $0, in: place) }
    default: return []
    }
  }
}
