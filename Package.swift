// swift-tools-version: 6.1
import PackageDescription

/// Our own targets build with warnings as errors when CI says so; dependencies are not ours to mend.
let strict: [SwiftSetting] =
  Context.environment["PAIRSPOT_STRICT"] == "1"
  ? [.unsafeFlags(["-warnings-as-errors"])] : []

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
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

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
}

let package = Package(
  name: "PairSpot",
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

    // Tools: none knows a feature.
    library("Cprocess"),
    room("Processes", ["Basics", "Cprocess"]),
    room("Database", ["Basics"] + grdb),

    tests("BasicsTests", ["Basics"]),
    tests("DatabaseTests", ["Database"]),
  ],
  swiftLanguageModes: [.v6]
)
