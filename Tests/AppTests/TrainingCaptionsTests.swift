import Basics
import Foundation
import Testing

@testable import App

@Suite("Captions of trainings' videos")
struct TrainingCaptionsTests {
  private static let good = "WEBVTT\n\n00:00.000 --> 00:02.000\nEasy legs. 放鬆。\n"

  private func sent(
    _ admin: Browser, _ desk: String, _ bytes: [UInt8], _ language: String = "zh-Hant"
  ) -> Answer {
    admin.upload("\(desk)/captions", [("language", language)], files: [("captions", bytes)])
  }

  @Test("Captions stand beside the video as a track, in their language")
  func track() throws {
    let house = try TestHouse()
    let admin = try house.admin()
    let desk = try admin.publishTraining("Hills")
    #expect(!admin.get("\(desk)/video").shows("name=\"captions\""))
    admin.sendVideo(desk)
    #expect(!admin.get(desk.asPeople).shows("<track"))
    #expect(sent(admin, desk, Array(Self.good.utf8)).location == "\(desk)/video")
    #expect(admin.get("\(desk)/captions").location == "\(desk)/video")
    try house.alone("sam")
    let browser = try house.signedIn("sam")
    let page = browser.get(desk.asPeople)
    #expect(page.shows("<track kind=\"captions\"") && page.shows("srclang=\"zh-Hant\""))
    #expect(page.shows("label=\"繁體中文\""))
    let link = try #require(page.pictures.first { $0.hasSuffix(".vtt") })
    let file = browser.get(link)
    #expect(file.status == 200 && file.headers[.contentType] == "text/vtt; charset=utf-8")
    let path = try #require(try house.mediaFiles().first { $0.hasSuffix(".vtt") })
    let full = "\(house.house.configuration.mediaFolder)/\(path)"
    #expect(try String(contentsOfFile: full, encoding: .utf8) == Self.good)
    #expect(house.browser().get(link).status == 303)
  }

  @Test("New captions take the place of the old ones; removed ones are gone with their file")
  func replacing() throws {
    let house = try TestHouse()
    let admin = try house.admin()
    let desk = try admin.publishTraining("Hills")
    admin.sendVideo(desk)
    _ = sent(admin, desk, Array(Self.good.utf8))
    let old = try house.mediaFiles().filter { $0.hasSuffix(".vtt") }
    #expect(sent(admin, desk, [0xEF, 0xBB, 0xBF] + Array(Self.good.utf8), "en").status == 303)
    let new = try house.mediaFiles().filter { $0.hasSuffix(".vtt") }
    #expect(new.count == 1 && new != old)
    #expect(admin.get("\(desk)/video").shows("captions in English"))
    #expect(admin.upload("\(desk)/captions", [("remove", "1")], files: []).status == 303)
    #expect(try house.mediaFiles().allSatisfy { !$0.hasSuffix(".vtt") })
    #expect(!admin.get(desk.asPeople).shows("<track"))
    #expect(try house.problems() == [])
  }

  private static let bad: [(bytes: [UInt8], words: String)] = [
    ([], "Choose a file"), (Array("1\n00:00:00,000 --> 00:00:02,000\nHi".utf8), "isn’t WebVTT"),
    (Array("WEBVTTX\n\n00:00.000 --> 00:02.000\nHi".utf8), "isn’t WebVTT"),
    (Array("WEBVTT\n\n00:00.000 --> 00:02.000\n".utf8) + [0xC3, 0x28], "aren’t UTF-8"),
    (Array("WEBVTT\n".utf8), "no captions in this file"),
    (Array(good.utf8) + [UInt8](repeating: 0x20, count: 1 << 20), "larger than 1 MB"),
  ]

  @Test(
    "What is no WebVTT is refused with words, and the captions before stay",
    arguments: TrainingCaptionsTests.bad.indices)
  func refused(index: Int) throws {
    let house = try TestHouse()
    let admin = try house.admin()
    let desk = try admin.publishTraining("Hills")
    admin.sendVideo(desk)
    _ = sent(admin, desk, Array(Self.good.utf8))
    let before = try house.mediaFiles()
    let answer = sent(admin, desk, Self.bad[index].bytes)
    #expect(answer.status == 422 && answer.shows(Self.bad[index].words), "\(answer.text)")
    #expect(answer.shows("href=\"#captions\""))
    #expect(try house.mediaFiles() == before)
  }

  @Test("Captions want a language that we know, and an admin")
  func language() throws {
    let house = try TestHouse()
    let admin = try house.admin()
    let desk = try admin.publishTraining("Hills")
    admin.sendVideo(desk)
    let answer = sent(admin, desk, Array(Self.good.utf8), "tlh")
    #expect(answer.status == 422 && answer.shows("Choose the language"))
    try house.alone("sam")
    #expect(sent(try house.signedIn("sam"), desk, Array(Self.good.utf8)).status == 404)
    #expect(try house.mediaFiles().allSatisfy { !$0.hasSuffix(".vtt") })
  }
}
