import Foundation
import Testing

@Suite("Modules depend on each other only as documented")
struct ArrowsTests {
  private static let features: Set = [
    "Accounts", "Album", "CheckIn", "Feed", "Groups", "Messages", "Moderation", "Moments",
    "Notices", "Trainings", "Wallet", "Workouts",
  ]
  private static let top: Set = ["App", "pairspot", "pairspot-pictures"]

  /// Each of our targets with its dependencies in `Package.swift`.
  private func arrows() throws -> [String: Set<String>] {
    let text = try String(
      contentsOf: TestInstance.checkout.appending(path: "Package.swift"), encoding: .utf8)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: TestInstance.checkout.appending(path: "Sources").path)
    var found: [String: Set<String>] = [:]
    for match in text.matches(of: /(?:module|program)\(\s*"([A-Za-z0-9-]+)",\s*\[([^\]]*)\]/) {
      let dependencies = match.output.2.matches(of: /"([A-Za-z0-9]+)"/).map { String($0.output.1) }
      found[String(match.output.1)] = Set(dependencies)
    }
    let targets = Set(names).subtracting(["CLibraries"])
    try #require(targets.isSubset(of: found.keys), "\(targets.subtracting(found.keys))")
    return found.filter { targets.contains($0.key) }
  }

  /// Each of our targets with our modules that its files import.
  private func imports() throws -> [String: Set<String>] {
    let sources = TestInstance.checkout.appending(path: "Sources")
    var found: [String: Set<String>] = [:]
    for (name, text) in try CatalogueUsageTests.files(below: sources, ".swift") {
      let module = String(name.prefix { $0 != "/" })
      for match in text.matches(of: /(?m)^(?:@testable |@_?[a-z]+ )?import (?:struct )?(\w+)/) {
        found[module, default: []].insert(String(match.output.1))
      }
    }
    return found
  }

  private func check(_ arrows: [String: Set<String>]) {
    for (module, others) in arrows {
      if Self.top.contains(module) { continue }
      #expect(others.isDisjoint(with: Self.top), "\(module)")
      let allowed: Set =
        module == "Accounts" ? [] : Self.features.contains(module) ? ["Accounts"] : []
      #expect(others.intersection(Self.features).subtracting(allowed) == [], "\(module)")
    }
  }

  @Test("Package.swift: tools know no feature, features no other but Accounts")
  func package() throws {
    let arrows = try arrows()
    #expect(arrows.count > 12)
    check(arrows)
  }

  @Test("The import lines of the sources say the same, and no more than Package.swift")
  func sources() throws {
    let (arrows, imports) = (try arrows(), try imports())
    check(imports)
    for (module, modules) in imports {
      let ours = modules.intersection(arrows.keys)
      #expect(ours.subtracting(arrows[module] ?? []) == [], "\(module)")
    }
  }

  @Test("Each library is used by one module: GRDB by Database, libgd by ImageProcessing")
  func libraries() throws {
    let homes: [String: Set] = [
      "GRDB": ["Database"], "GRDBSQLite": ["Database"], "Csqlite": ["Database"],
      "Cgd": ["ImageProcessing"],
      "Cheif": ["ImageProcessing"],
      "Cturbojpeg": ["ImageProcessing"], "Czbar": ["ImageProcessing"],
      // ImageProcessing reads a picture's orientation, PhotoMetadata writes the texts of a photo.
      "Cexif": ["ImageProcessing", "PhotoMetadata"], "Czlib": ["PhotoMetadata", "PNG"],
      "Carchive": ["Archive"], "Cexpat": ["XML"],
      "Cfcgi": ["FastCGI"], "Ccrypt": ["Secrets"], "Ccrypto": ["Certificates"],
      // Hashing and encryption; verifying signatures; encryption for browsers.
      "Crypto": ["Secrets", "Certificates", "OpenIDConnect", "WebAuthn", "WebPush"],
      // RSA, needed for signatures only.
      "CryptoExtras": ["OpenIDConnect", "SignedTokens", "WebAuthn"],
      "Cpq": ["PostgreSQL"], "PostgreSQL": ["Database"],
      "Cqrencode": ["QRCode"],
      // Domains of addresses in other scripts.
      "Cidn2": ["Mail"],
      // SMTP and HTTP.
      "Ccurl": ["Mail", "HTTPClient"],
    ]
    for (module, modules) in try imports() {
      for (library, users) in homes where modules.contains(library) {
        #expect(users.contains(module), "\(library) in \(module)")
      }
    }
  }
}
