import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("The page on which workouts are recorded")
struct RecorderPageTests {
  private static let page = "/workouts/record"

  private struct List: Decodable {
    struct Shell: Decodable {
      let path: String?
      let pages: [String: String]
    }

    let files: [String]
    let shells: [Shell]
  }

  @Test("It belongs to the signed-in user, and holds no other data of theirs in its part")
  func person() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    func part(_ browser: TestClient) throws -> Substring {
      let text = browser.get(Self.page).text
      #expect(text.contains(/<body[^>]* data-user="[\w-]{22}"/))
      return try #require(text.firstMatch(of: /<section class="recorder"(?s:.)*?<\/section>\n/)?.0)
    }
    #expect(try part(ann) == part(ben))
  }

  @Test("Without scripts it names the requirements, and links to the form and to files")
  func noScript() throws {
    let instance = try TestInstance()
    try instance.couple()
    let text = try instance.signedIn("ann").get(Self.page).text
    let plain = try #require(text.firstMatch(of: /<noscript>((?s:.)*?)<\/noscript>/)?.output.1)
    #expect(plain.contains("JavaScript") && plain.contains("https"))
    #expect(plain.contains("href=\"/workouts/add\"") && plain.contains("href=\"/workouts/import\""))
  }

  @Test("Its offline version is cached with its style sheet, in every language")
  func shell() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let list = try JSONDecoder().decode(
      List.self, from: Data(browser.get("/shells.json").text.utf8))
    let shell = try #require(list.shells.first { $0.path == Self.page })
    let sheet = "\(instance.instance.site.assets())/css/recorder.css"
    #expect(list.files.contains(sheet))
    for address in shell.pages.values {
      let text = browser.get(address).text
      #expect(text.contains("data-recorder") && text.contains("href=\"\(sheet)\""))
      #expect(text.contains(" data-shell>"))
    }
  }
}
