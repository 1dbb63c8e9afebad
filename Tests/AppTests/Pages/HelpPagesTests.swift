import Core
import Foundation
import Testing

@testable import App

@Suite("The help explains each part in three languages")
struct HelpPagesTests {
  @Test("Every topic is found from the contents, and reads in the visitor's language")
  func topics() throws {
    let instance = try TestInstance()
    let catalogues = instance.instance.site.catalogues
    for language in Language.allCases {
      let browser = instance.browser()
      func page(_ path: String) -> TestResponse {
        browser.get(path, headers: [.acceptLanguage: language.rawValue])
      }
      let contents = page("/help")
      #expect(contents.status == 200)
      for topic in HelpTopic.allCases {
        #expect(contents.shows("href=\"\(topic.path)\""))
        let text = page(topic.path).text
        let sections = text.matches(of: /<h2>[^<]+<\/h2><p>[^<]+<\/p>/).count
        #expect(text.contains("lang=\"\(language.rawValue)\"") && 4...8 ~= sections, "\(topic)")
        #expect(
          text.contains(catalogues.text("\(topic.textKey).title", in: language)), "\(topic)")
        for (path, key) in topic.pages {
          #expect(text.contains("href=\"\(path)\"") && catalogues.contains(key), "\(path)")
          #expect([200, 303].contains(page(path).status), "\(path)")
        }
      }
    }
  }

  @Test(
    "The call for help is explained with check-in and groups, and coins are no part of the rest")
  func callForHelp() throws {
    let instance = try TestInstance(variables: ["PAIRSPOT_COINS": "off"])
    let browser = instance.browser()
    for topic in [HelpTopic.checkIn, .groups] {
      #expect(browser.get(topic.path).shows("“Call for help”"))
    }
    #expect(!browser.get("/help").shows("Wallet"))
  }

  @Test("An unknown topic is not found")
  func unknown() throws {
    let browser = try TestInstance().browser()
    #expect(browser.get("/help/cooking").status == 404)
    #expect(browser.get("/help/check_in").status == 404)
  }

  @Test("Visitors find it in the footer, users in the settings; registering is for visitors only")
  func links() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    #expect(instance.browser().get("/").shows("href=\"/help\""))
    #expect(ann.get("/settings").shows("href=\"/help\""))
    #expect(!ann.get("/help/couples").shows("href=\"/register\""))
  }

  @Test("Names in quotation marks are those of buttons and pages, letter by letter")
  func names() throws {
    for language in Language.allCases {
      let file = TestInstance.checkout.appending(
        path: "templates/locales/\(language.rawValue).json")
      let texts = try #require(
        JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
      // The page of the call for help is `help.link` and so on, the topics `help.album.title`.
      let others = texts.filter {
        !$0.key.hasPrefix("help.") || $0.key.split(separator: ".").count == 2
      }.compactMap { entry in
        (entry.value as? String ?? (entry.value as? [String: String])?["other"])?
          .replacing(/\{\w+\}/, with: "…")
      }
      let known = Set(others)
      for (key, text) in texts where key.hasPrefix("help.") {
        for match in try #require(text as? String).matches(of: /[“「]([^”」]+)[”」]/) {
          #expect(known.contains(String(match.output.1)), "\(language) \(key): \(match.output.1)")
        }
      }
    }
  }
}
