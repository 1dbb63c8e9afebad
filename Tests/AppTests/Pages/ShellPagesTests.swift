import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("Pages cached by a browser contain no user data")
struct ShellPagesTests {
  private struct List: Decodable {
    struct Shell: Decodable {
      let path: String?
      let timeout: Int?
      let pages: [String: String]
    }

    let version: String
    let files: [String]
    let shells: [Shell]
  }

  private struct Token: Decodable {
    let token: String
    let user: String?
  }

  private func list(_ browser: TestClient) throws -> List {
    try JSONDecoder().decode(List.self, from: Data(browser.get("/shells.json").text.utf8))
  }

  @Test("The list names every script, the style sheet and the icons of the version it names")
  func files() throws {
    let instance = try TestInstance()
    let list = try list(instance.browser())
    #expect(instance.instance.site.assets() == "/assets/\(list.version)")
    let scripts = try CatalogueUsageTests.files(
      below: TestInstance.checkout.appending(path: "public/js"), ".js"
    ).map { "/assets/\(list.version)/js/\($0.name)" }
    #expect(Set(scripts).isSubset(of: list.files))
    for name in ["css/all.css", "icons/sprite.svg", "icons/favicon.svg"] {
      #expect(list.files.contains("/assets/\(list.version)/\(name)"), "\(name)")
    }
    #expect(!list.files.contains { $0.hasSuffix(".png") })
  }

  @Test("Every sheet that a shell links is in the list, and there")
  func sheets() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let list = try list(browser)
    let files = Set(list.files)
    for shell in list.shells {
      let page = browser.get(try #require(shell.pages["en"])).text
      for match in page.matches(of: /<link rel="stylesheet" href="([^"]+)">/) {
        let sheet = String(match.output.1)
        #expect(files.contains(sheet), "\(sheet)")
        let name = sheet.split(separator: "/").suffix(2).joined(separator: "/")
        let path = TestInstance.checkout.appending(path: "public/\(name)").path
        #expect(name == "css/all.css" || FileManager.default.fileExists(atPath: path), "\(name)")
      }
    }
  }

  @Test("A page for several paths is in the list under each")
  func paths() throws {
    let instance = try TestInstance()
    let paths = try list(instance.browser()).shells.map { $0.path ?? "" }
    #expect(Set(paths).count == paths.count)
    let own = [
      "/workouts", "/workouts/:id", "/workouts/kept", "/workouts/record", "/workouts/trainings",
      "/workouts/trainings/:id",
    ]
    #expect(Set(own).isSubset(of: paths))
    // The fallback for all other paths.
    #expect(paths.filter(\.isEmpty).count == 1)
  }

  @Test("Every shell of the list exists in every language, for every viewer")
  func languages() throws {
    let instance = try TestInstance()
    for shell in try list(instance.browser()).shells {
      #expect(Set(shell.pages.keys) == Set(Language.allCases.map(\.rawValue)))
      for (language, address) in shell.pages {
        let answer = instance.browser().get(address, headers: [.acceptLanguage: "zh-Hant"])
        #expect(answer.status == 200)
        #expect(answer.text.contains("<html lang=\"\(language)\""), "\(address)")
      }
    }
    #expect(instance.browser().get("/offline/fr").status == 404)
    let reader = instance.browser().get("/offline", headers: [.acceptLanguage: "zh-CN"])
    #expect(reader.text.contains("<html lang=\"zh-Hans\""))
  }

  @Test("A shell is the same for a member as for other viewers, and sets no cookie")
  func sameForAll() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for shell in try list(ann).shells {
      for address in shell.pages.values {
        let stranger = instance.browser()
        let answer = stranger.get(address)
        #expect(ann.get(address).text == answer.text)
        #expect(stranger.cookies.isEmpty)
        #expect(!answer.text.contains("csrf_token") && !answer.text.contains("data-user"))
      }
    }
  }

  @Test("A shell has the tabs of every page, in its language, and says in which of them it is")
  func tabs() throws {
    let instance = try TestInstance()
    let site = instance.instance.site
    for shell in try list(instance.browser()).shells {
      let path = shell.path ?? ""
      let space = site.tabs.first { $0.path == path || path.hasPrefix("\($0.path)/") }
      for (name, address) in shell.pages {
        let language = try #require(Language(rawValue: name))
        let page = instance.browser().get(address, headers: [.acceptLanguage: "fr"]).text
        let tabs = page.matches(of: /<li><a href="([^"]+)"( aria-current="page")?>/).map(\.output)
        #expect(tabs.map { String($0.1) } == site.tabs.map(\.path))
        #expect(
          tabs.filter { $0.2 != nil }.map { String($0.1) } == [space?.path].compactMap(\.self))
        #expect(
          page.matches(of: /<span class="tabs-label">([^<]+)</).map { String($0.output.1) }
            == site.tabs.map { site.catalogues.text($0.textKey, in: language) })
      }
    }
  }

  @Test("Pages and the token have a stable key of the user that reveals nothing")
  func browserUser() throws {
    let instance = try TestInstance()
    let people = try instance.couple()
    let ann = try instance.signedIn("ann")
    let key = try #require(
      ann.get("/").text.firstMatch(of: /<body[^>]* data-user="([A-Za-z0-9_-]{22})"/)?.output.1)
    let again = try instance.signedIn("ann").get("/about").text
    #expect(again.contains("data-user=\"\(key)\""))
    #expect(try !instance.signedIn("ben").get("/about").text.contains(key))
    #expect(!instance.browser().get("/").text.contains("data-user"))
    #expect(people.allSatisfy { !"\($0.id)".contains(key) })
    let token = try JSONDecoder().decode(Token.self, from: Data(ann.get("/csrf").text.utf8))
    #expect(token.user == String(key))
  }

  @Test("Signed out, the token belongs to no user")
  func nobody() throws {
    let answer = try TestInstance().browser().get("/csrf")
    let token = try JSONDecoder().decode(Token.self, from: Data(answer.text.utf8))
    #expect(token.user == nil)
    #expect(token.token.count == 86)
  }
}
