import Foundation
import Testing

@Suite("Numbers that people send")
struct SentNumbersTests {
  @Test(
    "A picture's number at the ends of all numbers is not found, and ends nothing",
    arguments: ["-9223372036854775808", "9223372036854775807", "-1", "0", "10", "1e308", "NaN"])
  func pictures(number: String) throws {
    let house = try TestHouse()
    try house.couple()
    let post = try house.signedIn("ann").writeWithPicture("For all")
    #expect(house.browser().get("\(post)/pictures/\(number)").status == 404)
    #expect(house.browser().get("\(post)/pictures/1").status == 200)
  }

  /// Arithmetic on a number without bounds traps, which ends the process and every request in it.
  @Test("Numbers of paths, queries and forms are read together with their range")
  func readWithRange() throws {
    let sources = TestHouse.checkout.appending(path: "Sources")
    let read = /(form|typed|parameters)\[|queryValue\(/
    let number = /\bU?Int(8|16|32|64)?\(/
    for (name, text) in try WordsTests.files(below: sources, ".swift") {
      for line in text.split(separator: "\n") where line.contains(read) && line.contains(number) {
        #expect(line.contains(" in: "), "\(name): \(line)")
      }
    }
  }
}
