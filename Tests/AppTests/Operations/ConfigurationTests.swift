import Core
import Foundation
import Testing

@testable import App

@Suite("Configuration")
struct ConfigurationTests {
  private func configuration(_ changes: [String: String]) throws -> Configuration {
    let environment = [
      "PAIRSPOT_ENV": "development", "PAIRSPOT_SHARE": TestInstance.checkout.path,
      "PAIRSPOT_DATA": "/nowhere",
    ]
    return try Configuration(
      environment: environment.merging(changes) { $1 }, now: TestInstance.start, cores: 2)
  }

  private func problems(_ changes: [String: String]) -> [String] {
    do {
      _ = try configuration(changes)
      return []
    } catch let wrong as Configuration.Invalid {
      return wrong.problems
    } catch {
      return ["another error: \(error)"]
    }
  }

  @Test(
    "Errors are named",
    arguments: [
      ("PAIRSPOT_PROT", "8080"), ("PAIRSPOT_ENV", "test"), ("PAIRSPOT_PORT", "0"),
      ("PAIRSPOT_PORT", "65536"), ("PAIRSPOT_PORT", "a"), ("PAIRSPOT_THREADS", "0"),
      ("PAIRSPOT_PROCESSES", "-1"), ("PAIRSPOT_RATE_LIMITS", "maybe"),
      ("PAIRSPOT_BASE_URL", "pairspot.example"), ("PAIRSPOT_BASE_URL", "https://a.example/x"),
      ("PAIRSPOT_MAIL", "pigeon"), ("PAIRSPOT_LANGUAGE", "fr"),
      ("PAIRSPOT_TIME_ZONE", "Mars/Olympus"), ("PAIRSPOT_TRUSTED_PROXIES", "10.0.0.0/99"),
      ("PAIRSPOT_TERMS_FILE", "/nowhere/terms.txt"), ("FROM_EMAIL", "nobody"),
      ("PAIRSPOT_OUTAGE_GRACE", "-1"), ("PAIRSPOT_OUTAGE_GRACE", "2 h"),
      ("PAIRSPOT_TILE_URL", "https://tiles.example/"), ("PAIRSPOT_MEDIA", "ftp"),
      ("PAIRSPOT_MEDIA_URL", "cdn.example"), ("PAIRSPOT_MEDIA_URL", "https://cdn.example/a"),
      ("PAIRSPOT_MEDIA_URL", "https://cdn.example;"), ("PAIRSPOT_S3_PATH_STYLE", "yes"),
      ("PAIRSPOT_PING_URL", "ftp://watch.example"), ("PAIRSPOT_PING_URL", "watch.example"),
      ("PAIRSPOT_NOW", "tomorrow"), ("PAIRSPOT_DEMO", "yes"), ("SMTP_HOTS", "mail.example"),
      ("RESEND_KEY", "re_x"), ("RESEND_WEBHOOK_SECRET", "whsec_short"),
      ("RESEND_WEBHOOK_SECRET", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
      ("PAIRSPOT_COIN_PACKS", "50"), ("PAIRSPOT_COIN_PACKS", "x=$1,y=$2"),
      ("PAIRSPOT_COIN_PACKS", "50=$1,50=$2"), ("PAIRSPOT_COIN_PACKS", ","),
      ("PAIRSPOT_APPLE_PRODUCTS", "a=50,a=150"), ("PAIRSPOT_APPLE_PRODUCTS", "a=50,a=50"),
      ("PAIRSPOT_APPLE_PRODUCTS", "a=50,b"), ("PAIRSPOT_APPLE_PRODUCTS", "=50"),
      ("PAIRSPOT_APPLE_PRODUCTS", "a=0"), ("PAIRSPOT_APPLE_PRODUCTS", ","),
      ("PAIRSPOT_PROMOTION_PRICES", "3"), ("PAIRSPOT_PROMOTION_PRICES", "3=30,3=60"),
      ("PAIRSPOT_PROMOTION_PRICES", "0=30"), ("PAIRSPOT_VOUCHERS_IN_APPS", "yes"),
      ("PAIRSPOT_CLOCK_OFFSET", "soon"), ("PAIRSPOT_CONFIG", "/nowhere/pairspot.conf"),
      ("FROM_EMAIL", "a-name-that-leaves-no-room@pairspot.example"),
    ])
  func wrong(name: String, value: String) {
    let found = problems([name: value])
    #expect(found.contains { $0.hasPrefix("\(name): ") }, "\(found)")
    if name != "PAIRSPOT_ENV" { #expect(found.count == 1, "\(found)") }
  }

  @Test("All that is wrong is named at once")
  func together() {
    let found = problems(["PAIRSPOT_PORT": "x", "FROM_EMAIL": "y", "PAIRSPOT_LANGUAGE": "z"])
    #expect(found.count == 3)
  }

  @Test("A bucket needs all of its settings, each of its form; its key may be in a file")
  func bucket() throws {
    #expect(try configuration([:]).bucket == nil)
    #expect(problems(["PAIRSPOT_MEDIA": "s3"]).count == 5)
    let whole = [
      "PAIRSPOT_MEDIA": "s3", "PAIRSPOT_S3_ENDPOINT": "https://s3.example:9000",
      "PAIRSPOT_S3_BUCKET": "media", "PAIRSPOT_S3_REGION": "eu-1",
      "PAIRSPOT_S3_ACCESS_KEY": "key", "PAIRSPOT_S3_SECRET_KEY": "secret",
    ]
    #expect(try configuration(whole).bucket?.address == "https://media.s3.example:9000")
    let known = try configuration(whole.merging(["PAIRSPOT_MEDIA": "files"]) { $1 })
    #expect(known.bucket == nil)
    #expect(try known.knownBucket == configuration(whole).bucket)
    for (name, value) in [
      ("PAIRSPOT_S3_ENDPOINT", "s3.example"), ("PAIRSPOT_S3_BUCKET", "A"),
      ("PAIRSPOT_S3_BUCKET", "a.b.c"), ("PAIRSPOT_S3_REGION", "a/b"),
      ("PAIRSPOT_S3_ACCESS_KEY", "a/b"), ("PAIRSPOT_S3_SECRET_KEY", "a b"),
    ] {
      let found = problems(whole.merging([name: value]) { $1 })
      #expect(found.count == 1 && found[0].hasPrefix("\(name): "), "\(found)")
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID())")
    try Data("secret\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var settings = whole
    settings["PAIRSPOT_S3_SECRET_KEY"] = nil
    settings["PAIRSPOT_S3_SECRET_KEY_FILE"] = file.path
    #expect(try configuration(settings).bucket == configuration(whole).bucket)
  }

  @Test("A public instance listens on all addresses and on the ports of the web")
  func tls() throws {
    let base = ["PAIRSPOT_BASE_URL": "https://pairspot.test"]
    let acme = try configuration(
      base.merging(["PAIRSPOT_TLS": "acme", "PAIRSPOT_ACME_EMAIL": "a@pairspot.test"]) { $1 })
    #expect(acme.port == 443 && acme.redirectPort == 80)
    #expect(acme.listenAddresses == ListenAddress.all)
    #expect(
      acme.tls
        == .acme(
          ACMESettings(
            directory: "https://acme-v02.api.letsencrypt.org/directory", email: "a@pairspot.test")))
    let off = try configuration(base)
    #expect(off.port == 8080 && off.redirectPort == nil && off.tls == .off)
    #expect(off.listenAddresses == ListenAddress.loopback)
    let named = try configuration(["PAIRSPOT_LISTEN": "192.0.2.1, [2001:db8::1]"])
    #expect(named.listenAddresses.map(\.text) == ["192.0.2.1", "2001:db8::1"])
  }

  @Test(
    "Settings of https that do not fit are named",
    arguments: [
      (["PAIRSPOT_TLS": "maybe"], ["PAIRSPOT_TLS"]),
      (["PAIRSPOT_TLS": "files"], ["PAIRSPOT_TLS_CERTIFICATE", "PAIRSPOT_TLS_KEY"]),
      (
        [
          "PAIRSPOT_TLS": "files", "PAIRSPOT_TLS_CERTIFICATE": "/nowhere", "PAIRSPOT_TLS_KEY": "/x",
        ],
        ["PAIRSPOT_TLS_CERTIFICATE", "PAIRSPOT_TLS_KEY"]
      ),
      (["PAIRSPOT_TLS": "acme"], ["PAIRSPOT_BASE_URL"]),
      (
        ["PAIRSPOT_TLS": "acme", "PAIRSPOT_BASE_URL": "https://192.0.2.1"], ["PAIRSPOT_BASE_URL"]
      ),
      (
        [
          "PAIRSPOT_TLS": "acme", "PAIRSPOT_BASE_URL": "https://pairspot.test",
          "PAIRSPOT_HTTP_PORT": "0", "PAIRSPOT_ACME_URL": "http://acme.test/",
        ], ["PAIRSPOT_ACME_URL", "PAIRSPOT_HTTP_PORT"]
      ),
      (["PAIRSPOT_TLS": "1", "PAIRSPOT_BASE_URL": "http://a.test"], ["PAIRSPOT_BASE_URL"]),
      (["PAIRSPOT_HTTP_PORT": "8080"], ["PAIRSPOT_HTTP_PORT"]),
      (["PAIRSPOT_LISTEN": "localhost"], ["PAIRSPOT_LISTEN"]),
      (["PAIRSPOT_LISTEN": "127.0.0.1,10.0.0.0/8"], ["PAIRSPOT_LISTEN"]),
    ])
  func wrongTLS(variables: [String: String], names: [String]) {
    #expect(problems(variables).map { String($0.prefix { $0 != ":" }) } == names)
  }

  @Test("SMTP without a host is named")
  func smtp() throws {
    #expect(problems(["PAIRSPOT_MAIL": "smtp"]) == ["SMTP_HOST: missing"])
    #expect(problems(["PAIRSPOT_MAIL": "smtp", "SMTP_HOST": "mail.example"]) == [])
    #expect(
      problems(["PAIRSPOT_MAIL": "smtp", "SMTP_HOST": "mail.example", "SMTP_PORT": "0"]).count == 1)
  }

  @Test("Resend without a key, or at an odd address, is named")
  func resend() throws {
    let good = ["PAIRSPOT_MAIL": "resend", "RESEND_API_KEY": "re_x"]
    #expect(problems(["PAIRSPOT_MAIL": "resend"]) == ["RESEND_API_KEY: missing"])
    #expect(problems(good) == [])
    for (name, value) in [
      ("RESEND_API_KEY", "a key"), ("RESEND_API_KEY", "k\r\nX: y"),
      ("RESEND_URL", "api.resend.com"),
      ("RESEND_URL", "ftp://api.resend.com"),
    ] {
      let found = problems(good.merging([name: value]) { $1 })
      #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("\(name): ") }, "\(found)")
    }
    // A fake server on loopback is allowed, for trials.
    let loopback = good.merging(["RESEND_URL": "http://127.0.0.1:9"]) { $1 }
    #expect(problems(loopback) == [])
    let production = loopback.merging([
      "PAIRSPOT_ENV": "production", "PAIRSPOT_BASE_URL": "https://pairspot.example",
      "FROM_EMAIL": "us@pairspot.example",
    ]) { $1 }
    #expect(problems(production) == ["RESEND_URL: must start with https://"])
  }

  @Test(
    "Production refuses settings for trials",
    arguments: [
      ("PAIRSPOT_NOW", "2026-01-13T01:05:00Z"), ("PAIRSPOT_RATE_LIMITS", "off"),
      ("PAIRSPOT_DEMO", "1"), ("PAIRSPOT_BASE_URL", "http://pairspot.example"),
      ("PAIRSPOT_MAIL", "file"), ("PAIRSPOT_CLOCK_OFFSET", "5"), ("FROM_EMAIL", ""),
    ])
  func production(name: String, value: String) {
    let good = [
      "PAIRSPOT_ENV": "production", "PAIRSPOT_BASE_URL": "https://pairspot.example",
      "SMTP_HOST": "mail.example", "FROM_EMAIL": "us@pairspot.example",
    ]
    #expect(problems(good) == [])
    let found = problems(good.merging([name: value]) { $1 })
    #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("\(name): ") }, "\(found)")
  }

  @Test("The environment wins over the file, which has comments and empty lines")
  func file() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "conf-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "# ours\n\n PAIRSPOT_PORT=9001\nFROM_NAME=A = B\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    #expect(try configuration(["PAIRSPOT_CONFIG": path]).port == 9001)
    #expect(try configuration(["PAIRSPOT_CONFIG": path]).fromName == "A = B")
    #expect(try configuration(["PAIRSPOT_CONFIG": path, "PAIRSPOT_PORT": "9002"]).port == 9002)
    // As written by an editor on Windows.
    try "# ours\r\nPAIRSPOT_PORT=9001\r\n\r\nFROM_NAME=A\r\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    #expect(try configuration(["PAIRSPOT_CONFIG": path]).port == 9001)
    #expect(try configuration(["PAIRSPOT_CONFIG": path]).fromName == "A")
    try "no equals sign".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(problems(["PAIRSPOT_CONFIG": path]) == ["\(path):1: expected NAME=value"])
    try "no\nPAIRSPOT_PORT=1\nneither".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(problems(["PAIRSPOT_CONFIG": path]).count == 2)
  }

  @Test("Variables of other programs are ignored")
  func others() {
    #expect(problems(["PATH": "/bin", "HOME": "/root", "PORT": "x"]) == [])
  }

  @Test("A relative data folder lies below the share")
  func relative() throws {
    let found = try configuration(["PAIRSPOT_DATA": "var"])
    #expect(found.data == "\(TestInstance.checkout.path)/var")
    #expect(found.databasePath.hasSuffix("/var/pairspot.sqlite"))
  }

  @Test("PAIRSPOT_NOW moves the clock by one offset")
  func now() throws {
    let moved = try configuration(["PAIRSPOT_NOW": "2026-03-03T00:00:00Z"])
    #expect(moved.clockOffset == 86_400_000)
    #expect(try configuration([:]).clockOffset == 0)
  }
}
