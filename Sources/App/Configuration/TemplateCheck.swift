import Foundation
import Templates

/// A record in the run folder that this very program has compiled all templates in their present
/// state. Processes then compile each template at its first use and start in half the time. In
/// development all are compiled at every start, and no record is kept.
struct TemplateCheck: Sendable {
  private static let program = "/proc/self/exe"

  private let configuration: Configuration
  /// Nil if no record is kept.
  private let stamp: String?
  /// Whether the record is valid, so that the templates need no check.
  let isPassed: Bool

  /// Call this before reading the templates.
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

  /// Deletes the record, so that all templates are checked again.
  func forget() {
    try? FileManager.default.removeItem(at: Self.file(configuration))
  }

  /// Writes the record. Call this when all templates have been compiled.
  func keep() throws {
    guard let stamp, !isPassed else { return }
    try Data(stamp.utf8).write(to: Self.file(configuration), options: .atomic)
  }
}
