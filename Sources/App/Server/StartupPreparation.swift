import Core
import Foundation
import Glibc

/// Prepares an instance before anything of it runs: migrates, checks the templates, writes nginx's
/// files and configuration. `pairspot serve` runs it in a process of its own, whose memory is freed
/// when it ends.
public struct StartupPreparation {
  private let configuration: Configuration

  public init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// Prepares a first start, when nothing runs: also deletes the remains of killed processes, and
  /// fills an empty instance if a demonstration is requested. The caller must hold the server lock.
  public func first(printLine: (String) -> Void) throws {
    let instance = try Instance(configuration)
    UploadSweep.run(configuration.uploadFolder)
    for path in try PrivateFiles(configuration).close() {
      printLine("removed access of other users to \(path)")
    }
    if configuration.hasDemo { try DemoData(instance).fill(printLine: printLine) }
    try GuardPrefix.random().save(in: configuration.runFolder)
    try write(instance, printLine: printLine)
  }

  /// Prepares an upgrade, while older processes run. Throws the errors that would keep the newer
  /// ones from starting.
  public func again(printLine: (String) -> Void) throws {
    let before = NginxFile.content(configuration.runFolder)
    try write(Instance(configuration), printLine: printLine)
    // nginx's module for live streams doesn't survive a reload of nginx's configuration (nchan
    // 1.3.6: a worker that ends aborts, and cuts off the clients it was answering).
    if NginxFile.content(configuration.runFolder) != before {
      printLine("the nginx configuration changed: restart `serve` to apply it")
    }
  }

  /// Opening the instance has migrated the database, made secrets and checked the templates.
  private func write(_ instance: Instance, printLine: (String) -> Void) throws {
    try StaticErrorPages(instance).write()
    try HashedAssets(instance).write()
    try writeNginx(printLine: printLine)
    // By now even what only this process compiles has been compiled.
    try instance.templateCheck.keep()
    withExtendedLifetime(instance.lock) {}
  }

  private func writeNginx(printLine: (String) -> Void) throws {
    var wanted = NginxConfiguration(
      listenAddresses: configuration.listenAddresses.filter {
        !$0.isIPv6 || PortCheck.exists($0)
      }, port: configuration.port, user: geteuid() == 0 ? "root" : nil, workers: 2,
      sockets: (0..<configuration.processes).map(configuration.socketPath),
      runFolder: configuration.runFolder, publicFolder: configuration.publicFolder,
      mediaFolder: configuration.mediaFolder, liveSocket: configuration.liveSocketPath,
      nchanModule: FileManager.default.fileExists(atPath: NginxConfiguration.nchanPath)
        ? NginxConfiguration.nchanPath : nil,
      guardPrefix: try GuardPrefix.current(in: configuration.runFolder))
    if try ServedCertificate(configuration).install() != nil {
      wanted.certificate = "\(configuration.runFolder)/\(ServedCertificate.name)"
    }
    wanted.redirect = try redirect()
    wanted.redis = configuration.redis
    wanted.bucket = configuration.bucket.map {
      NginxConfiguration.Bucket(settings: $0, nameServers: NameServers.current())
    }
    wanted.isSecure = configuration.isSecure
    wanted.trustedProxies = configuration.trustedProxies
    let template = try String(
      contentsOfFile: "\(configuration.share)/deploy/nginx/pairspot.conf.template", encoding: .utf8)
    let file = NginxFile(
      executable: try ServedPrograms.nginxExecutable(), template: template,
      environment: ServedPrograms.environment(configuration))
    _ = try file.write(wanted, printLine: printLine)
  }
}

extension StartupPreparation {
  private func redirect() throws -> NginxConfiguration.Redirect? {
    guard let port = configuration.redirectPort else { return nil }
    let folder = ACMEClient.challenges(configuration)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return NginxConfiguration.Redirect(
      port: port, baseURL: configuration.baseURL, challengeFolder: folder)
  }
}

/// Deletes uploaded files that a killed process left behind.
enum UploadSweep {
  static func run(_ folder: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      if name.hasPrefix("upload-") {
        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    }
  }
}
