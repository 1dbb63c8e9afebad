// swift-tools-version: 6.1
import PackageDescription

/// Treats warnings as errors in CI, for our own targets only, not for dependencies.
let strict: [SwiftSetting] =
  Context.environment["PAIRSPOT_STRICT"] == "1"
  ? [.unsafeFlags(["-warnings-as-errors"])] : []

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb: [Target.Dependency] = [
  .product(name: "GRDB", package: "GRDB.swift"),
  .product(name: "GRDBSQLite", package: "GRDB.swift"),
]

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: strict)
}

func library(_ name: String, pkgConfig: String? = nil) -> Target {
  .systemLibrary(name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig)
}

func program(
  _ name: String, _ dependencies: [Target.Dependency], at path: String, exclude: [String] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude,
    swiftSettings: strict)
}

/// Targets for libFuzzer (`make fuzz`), which link only with the sanitizer's library.
let fuzzTargets: [Target] =
  Context.environment["PAIRSPOT_FUZZ"] == "1"
  ? [
    program(
      "parser-fuzz",
      [
        "FakeAppStore", "Core", "Certificates", "FastCGI", "HTTPClient", "ImageProcessing",
        "Images",
        "Mail", "OpenIDConnect", "PhotoMetadata", "SignedTokens", "Templates", "Web", "WebAuthn",
        "WorkoutFiles", httpTypes,
      ],
      at: "Tests/Fuzz/ParserFuzz")
  ] : []

let package = Package(
  name: "PairSpot",
  products: [
    .executable(name: "pairspot", targets: ["pairspot"]),
    .executable(name: "pairspot-pictures", targets: ["pairspot-pictures"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
  ],
  targets: [
    // Values shared by all modules.
    module("Core", []),

    // C libraries, each used by one module.
    library("Carchive", pkgConfig: "libarchive"),
    library("Ccrypt"),
    library("Ccrypto", pkgConfig: "libcrypto"),
    library("Ccurl", pkgConfig: "libcurl"),
    library("Cexif"),
    library("Cexpat", pkgConfig: "expat"),
    library("Cfcgi", pkgConfig: "fcgi"),
    library("Cgd"),
    library("Cglibc"),
    library("Cheif"),
    library("Cidn2", pkgConfig: "libidn2"),
    library("Cpq", pkgConfig: "libpq"),
    library("Cprocess"),
    library("Cqrencode"),
    library("Csqlite"),
    library("Csystemd", pkgConfig: "libsystemd"),
    library("Cturbojpeg"),
    library("Czbar"),
    library("Czlib", pkgConfig: "zlib"),

    // Tools, which depend on no feature.
    module("Archive", ["Carchive", "Core"]),
    module("Backup", ["Core", "Database", "Processes", "Secrets"]),
    module("Certificates", ["Ccrypto", "Core", "Secrets", crypto]),
    module("Database", ["Core", "Csqlite", "PostgreSQL", "Secrets"] + grdb),
    module("FastCGI", ["Core", "Cfcgi"]),
    module("Films", ["Core", "Images", "Processes"]),
    module("HTTPClient", ["Ccurl"]),
    module(
      "ImageProcessing",
      ["Cexif", "Cgd", "Cheif", "Core", "Cprocess", "Cturbojpeg", "Czbar", "Images"]),
    module("Images", ["Core", "Media", "Processes"]),
    module("Jobs", ["Core", "Database", log]),
    module("Live", ["Core", "Database", "HTTPClient", log]),
    module(
      "Mail", ["Core", "Ccurl", "Cidn2", "Database", "HTTPClient", "Jobs", "Secrets", "Templates"]),
    module("Media", ["Core"]),
    module(
      "OpenIDConnect", ["Core", "HTTPClient", "Secrets", "SignedTokens", crypto, cryptoExtras]),
    module("PhotoMetadata", ["Core", "Cexif", "Czlib", "XML"]),
    module("PNG", ["Czlib"]),
    module("PostgreSQL", ["Cpq"]),
    module("Processes", ["Core", "Cprocess", "Csystemd"]),
    module("QRCode", ["Core", "Cqrencode", "PNG"]),
    module("S3", ["Core", "HTTPClient", "Media", "Secrets", "XML"]),
    module("Secrets", ["Core", "Ccrypt", crypto]),
    module("SignedTokens", ["Core", "Secrets", cryptoExtras]),
    module("Templates", ["Core"]),
    module(
      "Web", ["Core", "Database", "Media", "Secrets", "Templates", httpTypes, log]),
    module("WebAuthn", ["Secrets", crypto, cryptoExtras]),
    module("WebPush", ["Core", "HTTPClient", "Secrets", crypto]),
    module("WorkoutFiles", ["Core", "XML"]),
    module("XML", ["Cexpat"]),

    // Features, which depend on tools and Accounts, never on each other.
    module(
      "Accounts",
      [
        "Archive", "Core", "Database", "Images", "Jobs", "Mail", "Media", "OpenIDConnect",
        "QRCode", "Secrets", "SignedTokens", "Templates", "Web", "WebAuthn",
      ]),
    module(
      "Feed",
      [
        "Accounts", "Core", "Database", "Images", "Jobs", "Live", "Media", "Secrets", "Templates",
        "Web",
      ]),

    module(
      "Album",
      [
        "Accounts", "Archive", "Core", "Database", "Images", "Jobs", "Media", "PhotoMetadata",
        "Secrets", "Templates", "Web",
      ]),
    module(
      "CheckIn",
      [
        "Accounts", "Archive", "Core", "Database", "HTTPClient", "Jobs", "Mail", "Processes",
        "Secrets", "Templates", "Web", "WebPush", log,
      ]),
    module(
      "Groups",
      [
        "Accounts", "Core", "Database", "Images", "Jobs", "Live", "QRCode", "Templates", "Web",
      ]),
    module(
      "Messages",
      [
        "Accounts", "Core", "Database", "Films", "Images", "Jobs", "Live", "Media", "Secrets",
        "Templates", "Web",
      ]),
    module(
      "Moderation",
      [
        "Accounts", "Core", "Database", "Jobs", "Mail", "Templates", "Web", httpTypes,
      ]),
    module(
      "Moments",
      [
        "Accounts", "Core", "Database", "Films", "Images", "Jobs", "Media", "Secrets", "Templates",
        "Web", httpTypes,
      ]),
    module(
      "Notices",
      [
        "Accounts", "Core", "Database", "HTTPClient", "Jobs", "Secrets", "Templates", "Web",
        "WebPush",
      ]),
    module(
      "Trainings",
      ["Accounts", "Core", "Database", "Images", "Jobs", "Media", "Templates", "Web"]),
    module(
      "Wallet",
      [
        "Accounts", "Core", "Certificates", "Database", "Jobs", "Secrets", "Templates", "Web",
        httpTypes,
      ]),
    module(
      "Workouts",
      [
        "Accounts", "Archive", "Core", "Database", "Jobs", "PNG", "Secrets", "Templates",
        "Web", "WorkoutFiles", httpTypes,
      ]),

    // The application, composed of all modules.
    module(
      "App",
      [
        "Accounts", "Album", "Backup", "Core", "Certificates", "Cglibc", "CheckIn", "Database",
        "FastCGI", "Feed", "Films",
        "Groups", "HTTPClient", "Images", "Jobs", "Live", "Mail", "Media", "Messages",
        "Moderation",
        "Moments", "S3",
        "Notices", "OpenIDConnect", "PhotoMetadata", "PNG", "Processes", "Secrets", "SignedTokens",
        "Templates", "Trainings",
        "Wallet",
        "Web", "WebPush", "WorkoutFiles", "Workouts", httpTypes, log,
      ]),

    program(
      "pairspot", ["App", "Backup", "Core", "Database", "Mail", arguments],
      at: "Sources/pairspot"
    ),
    program("pairspot-pictures", ["ImageProcessing"], at: "Sources/pairspot-pictures"),

    tests(
      "AppTests",
      [
        "Accounts", "Album", "App", "FakeAppStore", "FakeAuthenticator", "FakeObjectStore",
        "Backup",
        "Core",
        "CheckIn", "Database",
        "FastCGI", "Feed", "Films", "Groups", "HTTPClient", "Images", "Jobs", "Mail", "Media",
        "Messages",
        "Moderation", "Moments", "Notices", "OpenIDConnect", "S3",
        "PhotoMetadata", "PostgreSQLServer", "QRCode", "Secrets", "SignedTokens", "Templates",
        "Trainings",
        "Wallet", "Web", "WebPush", "WorkoutFiles", "Workouts", "pairspot-pictures", crypto,
        httpTypes, log,
      ], exclude: ["PersistedNames"]),
    tests("AccountsTests", ["Accounts"]),
    tests("AlbumTests", ["Album"]),
    tests("ArchiveTests", ["Archive", "Core"]),
    tests("BackupTests", ["Backup", "Core", "Database", "PostgreSQLServer"]),
    tests("CoreTests", ["Core"]),
    tests("CertificatesTests", ["FakeAppStore", "Ccrypto", "Core", "Certificates"]),
    tests("CheckInTests", ["Core", "CheckIn"]),
    tests("DatabaseTests", ["Database", "PostgreSQL", "PostgreSQLServer"]),
    tests("FastCGITests", ["FastCGI", "listener-tool"]),
    tests("FeedTests", ["Core", "Feed"]),
    tests("FilmsTests", ["Core", "Films", "Processes", "pairspot-pictures"]),
    tests("GroupsTests", ["Groups"]),
    tests("HTTPClientTests", ["HTTPClient"]),
    tests(
      "ImagesTests",
      [
        "Core", "Cgd", "Cturbojpeg", "ImageProcessing", "Images", "Media", "Processes", "QRCode",
        "pairspot-pictures", "picture-limits-tool",
      ]),
    tests("JobsTests", ["Core", "Database", "Jobs", "PostgreSQLServer", log]),
    tests("LiveTests", ["Core", "Database", "HTTPClient", "Live", "PostgreSQLServer", log]),
    tests(
      "MailTests", ["Core", "Database", "HTTPClient", "Jobs", "Mail", "Secrets", log]),
    tests("MediaTests", ["Core", "Media"]),
    tests("MessagesTests", ["Core", "Messages"]),
    tests("MomentsTests", ["Core", "Moments"]),
    tests("NoticesTests", ["Core", "Notices"]),
    tests(
      "OpenIDConnectTests",
      ["Core", "HTTPClient", "OpenIDConnect", "Secrets", "SignedTokens", crypto, cryptoExtras]),
    tests("PhotoMetadataTests", ["Core", "PhotoMetadata", "photo-story-tool"]),
    tests("PNGTests", ["Czlib", "PNG"]),
    tests("ProcessesTests", ["Processes"]),
    tests("QRCodeTests", ["Processes", "QRCode"]),
    tests("S3Tests", ["Core", "FakeObjectStore", "HTTPClient", "Media", "S3", "Secrets"]),
    tests("SecretsTests", ["Core", "Secrets"]),
    tests("SignedTokensTests", ["Core", "Secrets", "SignedTokens", cryptoExtras]),
    tests("TemplatesTests", ["Core", "Templates"], exclude: ["mustache-spec"]),
    tests("TrainingsTests", ["Trainings", "Web"]),
    tests("WalletTests", ["Core", "Wallet"]),
    tests(
      "WebAuthnTests", ["FakeAuthenticator", "Secrets", "WebAuthn", crypto, cryptoExtras],
      exclude: ["vectors.json"]),
    tests("WebTests", ["Core", "Secrets", "Web", httpTypes]),
    tests("WebPushTests", ["Core", "HTTPClient", "Secrets", "WebPush"]),
    tests("WorkoutFilesTests", ["Core", "WorkoutFiles", "workout-file-tool"]),
    tests("XMLTests", ["XML"]),
    tests("WorkoutsTests", ["Core", "Web", "WorkoutFiles", "Workouts"]),
    .target(
      name: "FakeAppStore", dependencies: ["Core", "Secrets", crypto, cryptoExtras],
      path: "Tests/Support/FakeAppStore", swiftSettings: strict),
    .target(
      name: "FakeAuthenticator", dependencies: ["Secrets", "WebAuthn", crypto, cryptoExtras],
      path: "Tests/Support/FakeAuthenticator", swiftSettings: strict),
    .target(
      name: "FakeObjectStore", dependencies: ["HTTPClient"], path: "Tests/Support/FakeObjectStore",
      swiftSettings: strict),
    .target(
      name: "PostgreSQLServer", dependencies: ["Database", "PostgreSQL"],
      path: "Tests/Support/PostgreSQLServer", swiftSettings: strict),
    program("receipt-tool", ["FakeAppStore", "Core"], at: "Tests/Support/ReceiptTool"),
    program(
      "photo-fuzz", ["Czlib", "PhotoMetadata"], at: "Tests/Support/PhotoFuzz"),
    program(
      "photo-story-tool", ["Core", "PhotoMetadata"], at: "Tests/Support/PhotoStoryTool"),
    program("listener-tool", ["FastCGI"], at: "Tests/Support/ListenerTool"),
    program(
      "picture-limits-tool", ["ImageProcessing"], at: "Tests/Support/PictureLimitsTool"),
    program(
      "workout-file-tool", ["Core", "WorkoutFiles"], at: "Tests/Support/WorkoutFileTool"),
    program(
      "template-bench", ["Core", "Templates"], at: "Tests/Bench/TemplateBench",
      exclude: ["templates"]),
  ] + fuzzTargets,
  swiftLanguageModes: [.v6]
)

// SwiftPM compiles a target again when the module of a target that it names has changed, and does not
// look at what that one is made of. So each names all that it is made of
// (docs/decisions/0019-transitive-dependencies-are-named.md).
let dependencies = Dictionary(
  uniqueKeysWithValues: package.targets.filter { $0.type == .regular }.map {
    ($0.name, $0.dependencies)
  })
for target in package.targets {
  var named: Set<String> = []
  var open = target.dependencies
  while let dependency = open.popLast() {
    guard case .byNameItem(let name, _) = dependency, let inner = dependencies[name],
      named.insert(name).inserted
    else { continue }
    open += inner
  }
  for case .byNameItem(let name, _) in target.dependencies { named.remove(name) }
  target.dependencies += named.sorted().map { .byName(name: $0) }
}
