import Foundation
import Testing

@Suite("Numbers that people send")
struct NumberBoundsTests {
  @Test(
    "A picture's number at the ends of all numbers is not found, and ends nothing",
    arguments: ["-9223372036854775808", "9223372036854775807", "-1", "0", "10", "1e308", "NaN"])
  func pictures(number: String) throws {
    let instance = try TestInstance()
    try instance.couple()
    let post = try instance.signedIn("ann").writeWithPicture("For all")
    #expect(instance.browser().get("\(post)/pictures/\(number)").status == 404)
    #expect(instance.browser().get("\(post)/pictures/1").status == 200)
  }

  /// Arithmetic on an unbounded number traps, which ends the process with all its requests.
  @Test("Numbers of paths, queries and forms are read together with their range")
  func readWithRange() throws {
    let sources = TestInstance.checkout.appending(path: "Sources")
    let read = /(form|typed|parameters)\[|queryValue\(/
    let number = /\bU?Int(8|16|32|64)?\(/
    for (name, text) in try CatalogueUsageTests.files(below: sources, ".swift") {
      for line in text.split(separator: "\n") where line.contains(read) && line.contains(number) {
        #expect(line.contains(" in: "), "\(name): \(line)")
      }
    }
  }
}
