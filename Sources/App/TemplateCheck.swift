import Foundation
import Templates

/// That this very program has compiled all templates as they lie there, kept in the run folder: then
/// processes compile each when somebody reads it, and start in half the time. In development all are
/// compiled at every start, and nothing is kept.
struct TemplateCheck: Sendable {
  private static let program = "/proc/self/exe"

  private let path: String
  /// Nil in development.
  private let stamp: String?
  /// Whether they need no more looking at.
  let isPassed: Bool

  /// To be made before the templates are read: what changes meanwhile is looked at next time.
  init(_ configuration: Configuration) {
    path = "\(configuration.runFolder)/templates-checked"
    guard !configuration.isDevelopment else {
      (stamp, isPassed) = (nil, false)
      return
    }
    let stamp = TemplateSet.stamp(
      directory: configuration.templatesFolder, catalogues: configuration.cataloguesFolder,
      program: Self.program)
    self.stamp = stamp
    isPassed = (try? Data(contentsOf: URL(fileURLWithPath: path))) == Data(stamp.utf8)
  }

  /// To be called when all have been compiled.
  func keep() throws {
    guard let stamp, !isPassed else { return }
    try Data(stamp.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
  }
}
