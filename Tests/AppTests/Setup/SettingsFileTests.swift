import Foundation
import Testing

@testable import App

@Suite("Files of settings")
struct SettingsFileTests {
  @Test("Changing a setting leaves comments and other lines as they are")
  func change() {
    var file = SettingsFile(text: "# Mail\nSMTP_HOST=old.example\n\nPAIRSPOT_NAME=a = b\n")
    file["SMTP_HOST"] = "new.example"
    file["SMTP_PORT"] = "465"
    #expect(
      file.text
        == "# Mail\nSMTP_HOST=new.example\n\nPAIRSPOT_NAME=a = b\nSMTP_PORT=465\n")
    #expect(file["PAIRSPOT_NAME"] == "a = b")
  }

  @Test("Of several lines of a setting the last one counts, and all go with it")
  func several() {
    var file = SettingsFile(text: "A=1\n#A=2\n A=3")
    #expect(file["A"] == "3")
    file["A"] = nil
    #expect(file.text == "#A=2\n")
    #expect(file.names.isEmpty)
  }

  @Test("A file is replaced in one step and readable by its owner and group alone")
  func write() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/pairspot.conf"
    try SettingsFile(text: "A=1").write(to: path, group: nil)
    var file = try SettingsFile(path: path)
    file["B"] = "2"
    try file.write(to: path, group: getegid())
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "A=1\nB=2\n")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pairspot.conf"])
  }

  @Test("A folder that can't be written to is named, and nothing is left there")
  func unwritable() {
    #expect(throws: SettingsFile.Failure.self) {
      try SettingsFile(text: "A=1").write(to: "/proc/pairspot.conf", group: nil)
    }
  }
}
