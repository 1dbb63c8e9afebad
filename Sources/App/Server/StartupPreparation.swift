import Core
import Foundation
import Glibc

/// Makes an instance ready before anything of it runs: migrates, checks the templates, writes what
/// nginx gives out and how. `pairspot serve` has a process of its own do it, which takes all that it
/// needed for it along when it ends.
public struct StartupPreparation {
  private let configuration: Configuration

  public init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// Of a first start, when nothing runs: also sweeps what a killed process left, and fills an
  /// empty instance where a demonstration is asked for. To be called by who has the seat.
  public func first(say: (String) -> Void) throws {
    let instance = try Instance(configuration)
    UploadSweep.run(configuration.uploadFolder)
    for path in try PrivateFiles(configuration).close() { say("\(path) is closed to others now") }
    if configuration.hasDemo { try DemoData(instance).fill(say: say) }
    try GuardPrefix.random().save(in: configuration.runFolder)
    try write(instance, say: say)
  }

  /// Of an upgrade, while older processes run. Throws what would keep the newer ones from starting.
  public func again(say: (String) -> Void) throws {
    let before = NginxFile.content(configuration.runFolder)
    try write(Instance(configuration), say: say)
    // nginx's module for live streams doesn't survive that nginx reads its files anew (nchan 1.3.6:
    // a worker that ends aborts, and cuts off whom it was answering).
    if NginxFile.content(configuration.runFolder) != before {
      say("nginx's own configuration changed: it counts once `serve` is started anew")
    }
  }

  /// Opening a house migrated, made secrets and showed a broken template.
  private func write(_ instance: Instance, say: (String) -> Void) throws {
    try StaticErrorPages(instance).write()
    try HashedAssets(instance).write()
    try writeNginx(say: say)
    // Now even what only this process compiles has been compiled.
    try instance.templateCheck.keep()
    withExtendedLifetime(instance.lock) {}
  }

  private func writeNginx(say: (String) -> Void) throws {
    var wanted = NginxConfiguration(
      port: configuration.port, usesIPv6: PortCheck.hasIPv6,
      certificate: configuration.usesTLS ? try SelfSignedCertificate(configuration).make() : nil,
      user: geteuid() == 0 ? "root" : nil, workers: 2,
      sockets: (0..<configuration.processes).map(configuration.socketPath),
      runFolder: configuration.runFolder, publicFolder: configuration.publicFolder,
      mediaFolder: configuration.mediaFolder, liveSocket: configuration.liveSocketPath,
      nchanModule: FileManager.default.fileExists(atPath: NginxConfiguration.nchanPath)
        ? NginxConfiguration.nchanPath : nil,
      guardPrefix: try GuardPrefix.current(in: configuration.runFolder))
    wanted.isSecure = configuration.isSecure
    wanted.trustedProxies = configuration.trustedProxies
    let template = try String(
      contentsOfFile: "\(configuration.share)/deploy/nginx/pairspot.conf.template", encoding: .utf8)
    let file = NginxFile(
      executable: try ServedPrograms.nginxExecutable(), template: template,
      environment: ServedPrograms.environment(configuration))
    _ = try file.write(wanted, say: say)
  }
}

/// Files of uploads that a killed process left behind.
enum UploadSweep {
  static func run(_ folder: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      if name.hasPrefix("upload-") {
        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    }
  }
}
