import Foundation
import Templates

/// That this very program has compiled all templates as they lie there, kept in the run folder: then
/// processes compile each when somebody reads it, and start in half the time. In development all are
/// compiled at every start, and nothing is kept.
struct TemplateCheck: Sendable {
  private static let program = "/proc/self/exe"

  private let configuration: Configuration
  /// Nil when none is kept.
  private let stamp: String?
  /// Whether they need no more looking at.
  let isPassed: Bool

  /// To be made before the templates are read.
  init(_ configuration: Configuration) {
    self.configuration = configuration
    stamp = configuration.isDevelopment ? nil : Self.stamp(configuration)
    let kept = try? Data(contentsOf: Self.file(configuration))
    isPassed = kept != nil && kept == stamp.map { Data($0.utf8) }
  }

  private static func stamp(_ configuration: Configuration) -> String? {
    TemplateSet.stamp(
      directory: configuration.templatesFolder, catalogues: configuration.cataloguesFolder,
      program: program)
  }

  private static func file(_ configuration: Configuration) -> URL {
    URL(fileURLWithPath: "\(configuration.runFolder)/templates-checked")
  }

  /// Whether nothing has changed while they were read.
  var stillHolds: Bool { stamp == Self.stamp(configuration) }

  /// All have to be looked at once more.
  func forget() {
    try? FileManager.default.removeItem(at: Self.file(configuration))
  }

  /// To be called when all have been compiled.
  func keep() throws {
    guard let stamp, !isPassed else { return }
    try Data(stamp.utf8).write(to: Self.file(configuration), options: .atomic)
  }
}
