import Core
import Foundation
import Secrets
import Synchronization

/// The hash in the addresses of styles and scripts, and the CSS files joined into one.
///
/// The address changes when any file does, so browsers cache files for good. In development the
/// hash follows changes; otherwise it is computed once.
final class Assets: Sendable {
  private struct State {
    var hash: String
    var stamps: [String: Double] {
      didSet { files = Assets.loaded(stamps) }
    }
    /// Kept, since every page needs them with the hash.
    var files: [String]
    var checkedAt: ContinuousClock.Instant
  }

  private let folder: String
  private let joinedPath: String
  private let follows: Bool
  private let state: Mutex<State>

  /// Reads `public/` and writes the joined CSS. Throws if a file of `css/order.txt` is missing.
  init(_ configuration: Configuration) throws {
    folder = configuration.publicFolder
    joinedPath = "\(configuration.runFolder)/assets/css/all.css"
    follows = configuration.isDevelopment
    let stamps = Self.stamps(folder)
    let hash = try Self.build(folder, joinedPath, stamps.keys.sorted())
    state = Mutex(
      State(hash: hash, stamps: stamps, files: Self.loaded(stamps), checkedAt: .now))
  }

  var hash: String { current.hash }

  /// The hash, and the files that pages load below it: the joined CSS, every script, and the icons
  /// in pages.
  var current: (hash: String, files: [String]) {
    state.withLock { state in
      if follows, ContinuousClock.now - state.checkedAt > .seconds(1) { refresh(&state) }
      return (state.hash, state.files)
    }
  }

  private static func loaded(_ stamps: [String: Double]) -> [String] {
    let files = stamps.keys.filter {
      $0.hasPrefix("js/") || $0.hasPrefix("icons/") && $0.hasSuffix(".svg")
    }
    return ["css/all.css"] + files.sorted()
  }

  /// "/assets/<hash>".
  var path: String { "/assets/\(hash)" }

  private func refresh(_ state: inout State) {
    state.checkedAt = .now
    let stamps = Self.stamps(folder)
    guard stamps != state.stamps else { return }
    // A file that is being written fails once; the next look finds it complete.
    guard let hash = try? Self.build(folder, joinedPath, stamps.keys.sorted()) else { return }
    state.hash = hash
    state.stamps = stamps
  }

  private static func stamps(_ folder: String) -> [String: Double] {
    var stamps: [String: Double] = [:]
    for name in FileManager.default.enumerator(atPath: folder) ?? .init() {
      guard let name = name as? String else { continue }
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      guard attributes?[.type] as? FileAttributeType == .typeRegular,
        let changed = attributes?[.modificationDate] as? Date
      else { continue }
      stamps[name] = changed.timeIntervalSince1970
    }
    return stamps
  }

  private static func build(_ folder: String, _ joinedPath: String, _ names: [String]) throws
    -> String
  {
    let order = try String(contentsOfFile: "\(folder)/css/order.txt", encoding: .utf8)
    let joined = try order.split(separator: "\n").map {
      try String(contentsOfFile: "\(folder)/css/\($0)", encoding: .utf8)
    }.joined(separator: "\n")
    var parts: [UInt8] = []
    for name in names {
      parts += Array(name.utf8)
      parts += try Digests.sha256(file: "\(folder)/\(name)")
    }
    let directory = URL(fileURLWithPath: joinedPath).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try joined.write(toFile: joinedPath, atomically: true, encoding: .utf8)
    return Hex.text(Digests.sha256(parts).prefix(8))
  }
}
