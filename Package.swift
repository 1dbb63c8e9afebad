// swift-tools-version: 6.1
import PackageDescription

/// Our own targets build with warnings as errors when CI says so; dependencies are not ours to mend.
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

func room(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
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

/// libFuzzer's targets (`make fuzz`): they link only with the sanitizer's own library.
let fuzzTargets: [Target] =
  Context.environment["PAIRSPOT_FUZZ"] == "1"
  ? [
    program(
      "parser-fuzz",
      [
        "AppleStandIn", "Basics", "Certificates", "FastCGI", "Images", "Mail", "PhotoMetadata",
        "SignedTokens", "Templates", "Web", "WorkoutFiles", httpTypes,
      ],
      at: "Tests/Fuzz/ParserFuzz")
  ] : []

let package = Package(
  name: "PairSpot",
  products: [.executable(name: "pairspot", targets: ["pairspot"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
  ],
  targets: [
    // The ground: values that every room shares.
    room("Basics", []),

    // C libraries, each for one room.
    library("Ccrypt"),
    library("Ccurl", pkgConfig: "libcurl"),
    library("Cexif"),
    library("Cfcgi", pkgConfig: "fcgi"),
    library("Cgd"),
    library("Cprocess"),
    library("Cqrencode"),
    library("Czbar"),
    library("Czlib", pkgConfig: "zlib"),

    // Tools: none knows a feature.
    room("Archive", ["Basics", "Czlib"]),
    room("Backup", ["Basics", "Database", "Secrets"]),
    room("Certificates", ["Basics", "Secrets", crypto]),
    room("Database", ["Basics"] + grdb),
    room("FastCGI", ["Basics", "Cfcgi"]),
    room("HTTPClient", ["Ccurl"]),
    room("Images", ["Basics", "Cexif", "Cgd", "Czbar", "Processes"]),
    room("Jobs", ["Basics", "Database", log]),
    room("Live", ["Basics", "Database", "HTTPClient", log]),
    room(
      "Mail", ["Basics", "Ccurl", "Database", "HTTPClient", "Jobs", "Secrets", "Templates"]),
    room("PhotoMetadata", ["Basics", "Cexif", "Czlib"]),
    room("Processes", ["Basics", "Cprocess"]),
    room("QRCode", ["Basics", "Cqrencode"]),
    room("Secrets", ["Basics", "Ccrypt", crypto]),
    room("SignedTokens", ["Basics", "Secrets", cryptoExtras]),
    room("Templates", ["Basics"]),
    room("Web", ["Basics", "Database", "Secrets", "Templates", httpTypes, log]),
    room("WebPush", ["Basics", "HTTPClient", "Secrets", crypto]),
    room("WorkoutFiles", ["Basics"]),

    // Features: on tools and on Accounts, never on each other.
    room(
      "Accounts",
      [
        "Archive", "Basics", "Database", "Images", "Jobs", "Mail", "QRCode", "Secrets",
        "SignedTokens", "Templates", "Web",
      ]),
    room(
      "Feed",
      ["Accounts", "Basics", "Database", "Images", "Jobs", "Secrets", "Templates", "Web"]),

    room(
      "Album",
      [
        "Accounts", "Basics", "Database", "Images", "Jobs", "PhotoMetadata", "Secrets",
        "Templates", "Web",
      ]),
    room(
      "CheckIn",
      ["Accounts", "Basics", "Database", "Jobs", "Mail", "Secrets", "Templates", "Web"]),
    room(
      "Groups",
      [
        "Accounts", "Basics", "Database", "Images", "Jobs", "Live", "QRCode", "Templates", "Web",
      ]),
    room(
      "Moderation",
      [
        "Accounts", "Basics", "Database", "Jobs", "Mail", "Templates", "Web", httpTypes,
      ]),
    room(
      "Notices",
      [
        "Accounts", "Basics", "Database", "Jobs", "Secrets", "Templates", "Web", "WebPush",
      ]),
    room(
      "Wallet",
      [
        "Accounts", "Basics", "Certificates", "Database", "Jobs", "Secrets", "Templates", "Web",
        httpTypes,
      ]),
    room(
      "Workouts",
      [
        "Accounts", "Archive", "Basics", "Database", "Images", "Jobs", "Secrets", "Templates",
        "Web", "WorkoutFiles",
      ]),

    // All of it, put together.
    room(
      "App",
      [
        "Accounts", "Album", "Backup", "Basics", "Certificates", "CheckIn", "Database", "FastCGI",
        "Feed",
        "Groups", "HTTPClient", "Images", "Jobs", "Live", "Mail", "Moderation", "Notices",
        "PhotoMetadata", "Processes", "Secrets", "SignedTokens", "Templates", "Wallet", "Web",
        "WebPush", "WorkoutFiles",
        "Workouts", httpTypes, log,
      ]),

    program(
      "pairspot", ["App", "Backup", "Basics", "Database", "Images", "Mail", arguments],
      at: "Sources/pairspot"
    ),

    tests(
      "AppTests",
      [
        "Accounts", "Album", "App", "AppleStandIn", "Backup", "Basics", "CheckIn", "Database",
        "FastCGI", "Feed", "Groups", "Images", "Jobs", "Mail", "Moderation", "Notices",
        "PhotoMetadata", "QRCode", "Secrets", "SignedTokens", "Templates", "Wallet", "Web",
        "WebPush", "WorkoutFiles", "Workouts", "picture-child-tool", httpTypes, log,
      ], exclude: ["PersistedNames"]),
    tests("ArchiveTests", ["Archive", "Basics"]),
    tests("BackupTests", ["Backup", "Basics", "Database"]),
    tests("BasicsTests", ["Basics"]),
    tests("CertificatesTests", ["AppleStandIn", "Basics", "Certificates"]),
    tests("CheckInTests", ["Basics", "CheckIn"]),
    tests("DatabaseTests", ["Database"]),
    tests("FastCGITests", ["FastCGI", "listener-tool"]),
    tests("GroupsTests", ["Groups"]),
    tests("HTTPClientTests", ["HTTPClient"]),
    tests(
      "ImagesTests",
      ["Basics", "Cgd", "Images", "Processes", "QRCode", "picture-child-tool"]),
    tests("JobsTests", ["Basics", "Database", "Jobs", log]),
    tests("LiveTests", ["Basics", "Database", "HTTPClient", "Live", log]),
    tests(
      "MailTests", ["Basics", "Database", "HTTPClient", "Jobs", "Mail", "Secrets", log]),
    tests("NoticesTests", ["Basics", "Notices"]),
    tests("PhotoMetadataTests", ["Basics", "PhotoMetadata", "photo-story-tool"]),
    tests("ProcessesTests", ["Processes"]),
    tests("QRCodeTests", ["Processes", "QRCode"]),
    tests("SecretsTests", ["Basics", "Secrets"]),
    tests("SignedTokensTests", ["Basics", "Secrets", "SignedTokens", cryptoExtras]),
    tests("TemplatesTests", ["Basics", "Templates"], exclude: ["mustache-spec"]),
    tests("WebTests", ["Basics", "Secrets", "Web", httpTypes]),
    tests("WebPushTests", ["Basics", "HTTPClient", "Secrets", "WebPush"]),
    tests("WorkoutFilesTests", ["Basics", "WorkoutFiles", "workout-file-tool"]),
    tests("WorkoutsTests", ["Basics", "Web", "WorkoutFiles", "Workouts"]),
    .target(
      name: "AppleStandIn", dependencies: ["Basics", "Secrets", crypto, cryptoExtras],
      path: "Tests/Support/AppleStandIn", swiftSettings: strict),
    program("receipt-tool", ["AppleStandIn", "Basics"], at: "Tests/Support/ReceiptTool"),
    program(
      "photo-fuzz", ["Czlib", "PhotoMetadata"], at: "Tests/Support/PhotoFuzz"),
    program(
      "photo-story-tool", ["Basics", "PhotoMetadata"], at: "Tests/Support/PhotoStoryTool"),
    program("listener-tool", ["FastCGI"], at: "Tests/Support/ListenerTool"),
    program("picture-child-tool", ["Images"], at: "Tests/Support/PictureChildTool"),
    program(
      "workout-file-tool", ["Basics", "WorkoutFiles"], at: "Tests/Support/WorkoutFileTool"),
    program(
      "template-bench", ["Basics", "Templates"], at: "Tests/Bench/TemplateBench",
      exclude: ["templates"]),
  ] + fuzzTargets,
  swiftLanguageModes: [.v6]
)
