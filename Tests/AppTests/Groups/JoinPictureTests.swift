import Foundation
import Images
import QRCode
import Testing

@testable import App

@Suite("A picture of a group's code leads on to joining")
struct JoinPictureTests {
  private func picture(_ text: String) throws -> [UInt8] { try QRCode(text).png(scale: 4) }

  private func send(_ bytes: [UInt8], by browser: TestClient) -> TestResponse {
    browser.get("/join")
    return browser.upload("/join/picture", [], files: [("picture", bytes)])
  }

  @Test("The code alone, our link and that of the app before lead to the group's page")
  func leads() throws {
    let instance = try TestInstance()
    let (lea, _, group) = try instance.exercise()
    let code = try lea.code(of: group).replacing(" ", with: "")
    let visitor = instance.browser()
    #expect(visitor.get("/join").shows("capture=\"environment\""))
    for text in [
      code, code.lowercased(), "http://127.0.0.1:8099/join?code=\(code)&name=Any",
      "hither://join?code=\(code)&name=Group%20Name",
    ] {
      #expect(send(try picture(text), by: visitor).location == "/join?code=\(code)", "\(text)")
    }
    // The picture that the leader's page offers for printing.
    let printed = lea.call(.get, "\(group.call)/invite.png").body
    let link = try #require(send(printed, by: visitor).location)
    #expect(link.wholeMatch(of: /\/join\?code=[A-Z0-9]{26}/) != nil)
    for page in [link, "/join?code=\(code)"] { #expect(visitor.get(page).shows("Harvest Walk")) }
    let left = try FileManager.default.subpathsOfDirectory(
      atPath: instance.instance.configuration.uploadFolder
    ).filter { $0 != "stories" }
    #expect(left == [])
  }

  @Test("Any other picture is an error beside the field")
  func refused() throws {
    let instance = try TestInstance()
    let visitor = instance.browser()
    for text in [
      "https://example.test/join?code=ABC234", "http://127.0.0.1:8099/?code=ABC234",
      "http://127.0.0.1:8099/join?code=short", "javascript:alert(1)", "tel:112",
    ] {
      let answer = send(try picture(text), by: visitor)
      #expect(answer.status == 422 && answer.shows("isn’t a group code from this site"), "\(text)")
    }
    let empty = send(SmallPicture.png, by: visitor)
    #expect(empty.status == 422 && empty.shows("No QR code found"))
    #expect(empty.shows("<a href=\"#picture\">Photo of the QR code</a>"))
    #expect(empty.shows("aria-invalid=\"true\"") && empty.shows("error-summary"))
    let broken = send(Array(SmallPicture.png.prefix(40)), by: visitor)
    #expect(broken.status == 422)
    visitor.get("/join")
    let none = visitor.upload("/join/picture", [], files: [])
    #expect(none.status == 422 && none.shows("Choose or take a picture"))
    #expect(visitor.get("/join/picture").location == "/join")
  }

  @Test("One address may send so many pictures, and then has to wait")
  func limit() throws {
    let instance = try TestInstance(limits: true)
    let visitor = instance.browser()
    visitor.get("/join")
    for _ in 1...60 {
      #expect(visitor.upload("/join/picture", [], files: []).status == 422)
    }
    #expect(visitor.upload("/join/picture", [], files: []).status == 429)
  }
}
