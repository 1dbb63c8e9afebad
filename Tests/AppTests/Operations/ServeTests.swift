import Foundation
import Glibc
import Testing

@testable import App

@Suite("Serving")
struct ServeTests {
  @Test("A second one on the same data is refused before it touches anything")
  func secondOne() throws {
    let instance = try TestInstance()
    let configuration = instance.instance.configuration
    let seat = try ServerLock(configuration)
    defer { withExtendedLifetime(seat) {} }
    let upload = "\(configuration.uploadFolder)/upload-on-its-way"
    try Data("half".utf8).write(to: URL(filePath: upload))
    let before = try FileManager.default.contentsOfDirectory(atPath: configuration.runFolder)
    let refused = #expect(throws: Serve.Failure.self) {
      // It would fail there, because the program doesn't exist.
      try Serve(configuration, program: "/nowhere/pairspot").run { Issue.record("\($0)") }
    }
    #expect(refused?.description.contains("already running") == true)
    #expect(FileManager.default.fileExists(atPath: upload))
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: configuration.runFolder))
        == Set(before))
  }

  @Test("The exit code of the preparing process is this one's", arguments: [1, 78])
  func preparation(status: Int32) throws {
    let instance = try TestInstance()
    let program = "\(instance.folder.path)/prepare"
    try "#!/bin/sh\nexit \(status)\n".write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    let failed = #expect(throws: Serve.NotPrepared.self) {
      try Serve(instance.instance.configuration, program: program).run { Issue.record("\($0)") }
    }
    #expect(failed?.status == status)
  }

  @Test("The lock file has the id of the running process")
  func seat() throws {
    let instance = try TestInstance()
    let path = ServerLock.path(instance.instance.configuration)
    #expect(ServerLock.occupant(path) == nil)
    let seat = try ServerLock(instance.instance.configuration)
    #expect(ServerLock.occupant(path) == getpid())
    withExtendedLifetime(seat) {}
  }

  @Test("Older handlers may take as long as nginx waits for them, and a worker as long as a mail")
  func timeout() throws {
    let template = try String(
      contentsOf: TestInstance.checkout.appending(path: "deploy/nginx/pairspot.conf.template"),
      encoding: .utf8)
    let configuration = NginxConfiguration(
      listenAddresses: ListenAddress.loopback, port: 8080, workers: 2, sockets: ["/s"],
      runFolder: "/run",
      publicFolder: "/public", mediaFolder: "/media", liveSocket: "/live",
      guardPrefix: .none)
    let times = try configuration.render(template: template)
      .matches(of: /fastcgi_read_timeout (\d+)s;/).compactMap { Int($0.output.1) }
    #expect(times.max() == 300)
    #expect(Timeouts.handlers > times.max() ?? .max)
    #expect(Timeouts.worker > 60)
    let instance = try TestInstance()
    let programs = try ServedPrograms(
      configuration: instance.instance.configuration, program: "/bin/true", nginxOutput: 2
    ).stages().joined()
    #expect(programs.first { $0.name == "handlers-0" }?.finishing == Double(Timeouts.handlers))
    #expect(programs.first { $0.name == "worker" }?.finishing == Double(Timeouts.worker))
  }
}

@Suite("The result file of an upgrade")
struct UpgradeFilesTests {
  @Test("Half a copy of the assets goes again, and the older ones stay")
  func assetCopies() throws {
    let instance = try TestInstance()
    let run = instance.instance.configuration.runFolder
    let joined = "\(run)/assets/css/all.css"
    try HashedAssets(instance.instance).write()
    let kept = try FileManager.default.contentsOfDirectory(atPath: "\(run)/kept/assets")
    #expect(kept.count == 1)
    try FileManager.default.moveItem(
      atPath: "\(run)/kept/assets/\(kept[0])", toPath: "\(run)/kept/assets/older")
    // Like a full disk: one file of it can't be copied.
    try FileManager.default.removeItem(atPath: joined)
    #expect(throws: (any Error).self) { try HashedAssets(instance.instance).write() }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(run)/kept/assets") == ["older"])
  }

  @Test("The result of an upgrade fits into the reserved space, however long the reason")
  func result() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "result-\(UUID())").path
    defer { unlink(path) }
    try UpgradeResult.preallocate(path)
    #expect(UpgradeResult.read(path) == nil)
    func size() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    }
    let space = try size()
    try UpgradeResult(isDone: false, note: "no room").write(path)
    #expect(UpgradeResult.read(path)?.note == "no room")
    try UpgradeResult(isDone: true, note: String(repeating: "“", count: 9000)).write(path)
    #expect(UpgradeResult.read(path)?.isDone == true)
    #expect(try size() == space)
  }

  @Test("Without space for the answer nothing is requested")
  func noRoom() {
    #expect(throws: Upgrade.Failure.self) { try UpgradeResult.preallocate("/dev/full/x") }
    #expect(throws: Upgrade.Failure.self) { try UpgradeResult.preallocate("/nowhere/x") }
  }
}
