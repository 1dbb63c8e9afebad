import Core
import Testing

@testable import Moments

@Suite("The rules of moments")
struct MomentRulesTests {
  @Test("A moment lasts a day, and has a line of at most 150 characters")
  func limits() {
    #expect(MomentRules.lifetime == 86_400)
    let long = String(repeating: "你", count: 150)
    #expect(MomentRules.error(words: "") == nil && MomentRules.error(words: long) == nil)
    #expect(MomentRules.error(words: long + "好") != nil)
  }

  @Test("The files of a moment are those of its kind")
  func files() {
    let file = ID<MomentFile>.random()
    let picture = MomentFiles.names(file, .picture(fileExtension: "jpg", hasWebP: true))
    #expect(picture.first == "original_\(file).jpg" && picture.count == 5)
    #expect(MomentFiles.names(file, .picture(fileExtension: "png", hasWebP: false)).count == 3)
    let film = MomentFiles.names(file, .film(milliseconds: 9000, hasSound: true))
    #expect(film == ["film_\(file).mp4", "poster_\(file).jpg"])
  }
}
