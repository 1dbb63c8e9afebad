import Foundation
import Testing

@testable import App

@Suite("nginx's file, which nginx has looked at")
struct NginxFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Writes the file with this script in place of nginx; returns the content and the messages.
  private func written(
    by script: String?, module: String? = "/m.so", keepsFolder: Bool = false
  ) throws -> (String, [String]) {
    defer { if !keepsFolder { try? FileManager.default.removeItem(at: folder) } }
    let executable = folder.appending(path: "nginx").path
    if let script {
      try "#!/bin/sh\n\(script)\n".write(toFile: executable, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: executable)
    }
    let wanted = NginxConfiguration(
      listenAddresses: ListenAddress.loopback, port: 8080, workers: 2, sockets: [],
      runFolder: folder.path,
      publicFolder: "/public", mediaFolder: "/media", liveSocket: "/live.sock",
      nchanModule: module, guardPrefix: .none)
    var said: [String] = []
    let file = NginxFile(
      executable: executable, template: "@NCHAN@load_module @NCHAN_MODULE@;\n",
      environment: ["PATH": "/usr/bin:/bin"])
    let used = try file.write(wanted) { said.append($0) }
    let text = try String(contentsOf: folder.appending(path: "nginx.conf"), encoding: .utf8)
    #expect((used.nchanModule == nil) == text.hasPrefix("#"))
    return (text, said)
  }

  @Test("A module that nginx takes is used")
  func fits() throws {
    let (text, said) = try written(by: "exit 0")
    #expect(text == "load_module /m.so;\n" && said == [])
  }

  @Test("Only its owner may read the file, which may hold a password")
  func mode() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = try written(by: "exit 0", keepsFolder: true)
    let path = folder.appending(path: "nginx.conf").path
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("A file that nginx refuses is skipped, and nginx's own message reported")
  func refused() throws {
    let (text, said) = try written(
      by: """
        case "$*" in *-t*) ;; *) exit 0 ;; esac
        while [ "$1" != -c ]; do shift; done
        grep -q ^load_module "$2" || exit 0
        echo 'nginx: [emerg] module "/m.so" is not binary compatible' >&2
        exit 1
        """)
    #expect(text == "#load_module ;\n")
    #expect(said.count == 1)
    #expect(said.first?.contains("module \"/m.so\" is not binary compatible") == true)
  }

  @Test("The file tested by nginx is not yet the one in use")
  func newer() throws {
    let (text, said) = try written(
      by: """
        while [ "$1" != -c ]; do shift; done
        [ "$2" = "$(dirname "$0")/nginx.conf.new" ] && [ ! -e "$(dirname "$0")/nginx.conf" ]
        """, module: nil)
    #expect(text == "#load_module ;\n" && said == [])
  }

  @Test("A file that nginx refuses isn't installed: the old one stays, and the error is reported")
  func kept() throws {
    try "old".write(
      to: folder.appending(path: "nginx.conf"), atomically: true, encoding: .utf8)
    let kept = folder
    #expect(throws: Serve.Failure.self) {
      do {
        _ = try written(
          by: "grep -q old \"$(dirname \"$0\")/nginx.conf\" && echo 'unknown word' >&2; exit 1",
          keepsFolder: true)
      } catch let failure as Serve.Failure {
        #expect(failure.description.contains("unknown word"))
        throw failure
      }
    }
    let text = try String(contentsOf: kept.appending(path: "nginx.conf"), encoding: .utf8)
    #expect(text == "old")
    try FileManager.default.removeItem(at: kept)
  }

  @Test("A nginx that can't be run is left to the operator")
  func silent() throws {
    #expect(try written(by: nil, module: nil).0 == "#load_module ;\n")
  }

  @Test("nginx itself: a file that is no module of its keeps it from no start")
  func ownNginx() throws {
    let nginx = "/usr/sbin/nginx"
    try #require(FileManager.default.isExecutableFile(atPath: nginx))
    let module = folder.appending(path: "broken.so").path
    try "no module".write(toFile: module, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: folder) }
    let wanted = NginxConfiguration(
      listenAddresses: ListenAddress.loopback, port: 8080, workers: 2, sockets: [],
      runFolder: folder.path,
      publicFolder: "/public", mediaFolder: "/media", liveSocket: "/live.sock",
      nchanModule: module, guardPrefix: .none)
    var said: [String] = []
    let used = try NginxFile(
      executable: nginx,
      template: "@NCHAN@load_module \"@NCHAN_MODULE@\";\npid \"@RUN@/nginx.pid\";\nevents {}\n",
      environment: [:]
    ).write(wanted) { said.append($0) }
    #expect(used.nchanModule == nil && said.count == 1)
    #expect(said.first?.contains("broken.so") == true)
  }
}
