import Core
import Foundation
import Testing

@testable import App

@Suite("Captions of trainings' videos")
struct TrainingCaptionsTests {
  private static let good = "WEBVTT\n\n00:00.000 --> 00:02.000\nEasy legs. 放鬆。\n"

  private func sent(
    _ admin: TestClient, _ adminPage: String, _ bytes: [UInt8], _ language: String = "zh-Hant"
  ) -> TestResponse {
    admin.upload("\(adminPage)/captions", [("language", language)], files: [("captions", bytes)])
  }

  @Test("Captions are a track of the video, in their language")
  func track() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.publishTraining("Hills")
    #expect(!admin.get("\(adminPage)/video").shows("name=\"captions\""))
    admin.sendVideo(adminPage)
    #expect(!admin.get(adminPage.asPeople).shows("<track"))
    #expect(sent(admin, adminPage, Array(Self.good.utf8)).location == "\(adminPage)/video")
    #expect(admin.get("\(adminPage)/captions").location == "\(adminPage)/video")
    try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let page = browser.get(adminPage.asPeople)
    #expect(page.shows("<track kind=\"captions\"") && page.shows("srclang=\"zh-Hant\""))
    #expect(page.shows("label=\"繁體中文\""))
    let link = try #require(page.pictures.first { $0.hasSuffix(".vtt") })
    let file = browser.get(link)
    #expect(file.status == 200 && file.headers[.contentType] == "text/vtt; charset=utf-8")
    let path = try #require(try instance.mediaFiles().first { $0.hasSuffix(".vtt") })
    let full = "\(instance.instance.configuration.mediaFolder)/\(path)"
    #expect(try String(contentsOfFile: full, encoding: .utf8) == Self.good)
    #expect(instance.browser().get(link).status == 303)
  }

  @Test("New captions take the place of the old ones; removed ones are gone with their file")
  func replacing() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.publishTraining("Hills")
    admin.sendVideo(adminPage)
    _ = sent(admin, adminPage, Array(Self.good.utf8))
    let old = try instance.mediaFiles().filter { $0.hasSuffix(".vtt") }
    #expect(sent(admin, adminPage, [0xEF, 0xBB, 0xBF] + Array(Self.good.utf8), "en").status == 303)
    let new = try instance.mediaFiles().filter { $0.hasSuffix(".vtt") }
    #expect(new.count == 1 && new != old)
    #expect(admin.get("\(adminPage)/video").shows("Captions in English"))
    #expect(admin.get("\(adminPage)/captions").location == "\(adminPage)/video")
    let question = admin.get("\(adminPage)/captions?ask=remove")
    #expect(question.shows("Remove the captions?") && question.value(of: "remove") == "1")
    #expect(admin.upload("\(adminPage)/captions", [("remove", "1")], files: []).status == 303)
    #expect(try instance.mediaFiles().allSatisfy { !$0.hasSuffix(".vtt") })
    #expect(!admin.get(adminPage.asPeople).shows("<track"))
    #expect(try instance.problems() == [])
  }

  private static let bad: [(bytes: [UInt8], words: String)] = [
    ([], "Choose a file"),
    (Array("1\n00:00:00,000 --> 00:00:02,000\nHi".utf8), "Not a WebVTT file"),
    (Array("WEBVTTX\n\n00:00.000 --> 00:02.000\nHi".utf8), "Not a WebVTT file"),
    (Array("WEBVTT\n\n00:00.000 --> 00:02.000\n".utf8) + [0xC3, 0x28], "aren’t in UTF-8"),
    (Array("WEBVTT\n".utf8), "no captions in it"),
    (Array(good.utf8) + [UInt8](repeating: 0x20, count: 1 << 20), "over 1 MB"),
  ]

  @Test(
    "A file that is no WebVTT is refused with a reason, and the old captions stay",
    arguments: TrainingCaptionsTests.bad.indices)
  func refused(index: Int) throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.publishTraining("Hills")
    admin.sendVideo(adminPage)
    _ = sent(admin, adminPage, Array(Self.good.utf8))
    let before = try instance.mediaFiles()
    let answer = sent(admin, adminPage, Self.bad[index].bytes)
    #expect(answer.status == 422 && answer.shows(Self.bad[index].words), "\(answer.text)")
    #expect(answer.shows("href=\"#captions\""))
    #expect(try instance.mediaFiles() == before)
  }

  @Test("Captions want a language that we know, and an admin")
  func language() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.publishTraining("Hills")
    admin.sendVideo(adminPage)
    let answer = sent(admin, adminPage, Array(Self.good.utf8), "tlh")
    #expect(answer.status == 422 && answer.shows("Choose the language"))
    try instance.alone("sam")
    #expect(sent(try instance.signedIn("sam"), adminPage, Array(Self.good.utf8)).status == 404)
    #expect(try instance.mediaFiles().allSatisfy { !$0.hasSuffix(".vtt") })
  }
}
