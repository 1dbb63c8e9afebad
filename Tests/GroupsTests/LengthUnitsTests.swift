import Core
import Foundation
import Groups
import Testing

@Suite("How far and in which direction")
struct LengthUnitsTests {
  /// Computed with other formulas (vectors) than the product's, and with a third set in the
  /// browser.
  private struct Case: Decodable {
    struct Place: Decodable {
      let latitude: Double
      let longitude: Double

      var position: Position? { Position(latitude: latitude, longitude: longitude) }
    }

    let `case`: String
    let from: Place
    let to: Place
    let distance: Double
    let bearing: Double
  }

  @Test("Distances and bearings equal independent ones, near and far, over date line and poles")
  func vectors() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../EndToEnd/support/great_circles.json")
    let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: file))
    #expect(cases.count > 10)
    for example in cases {
      let from = try #require(example.from.position)
      let to = try #require(example.to.position)
      let distance = from.distance(to: to)
      #expect(
        abs(distance - example.distance) < max(0.01, example.distance * 1e-6), "\(example.case)")
      let turn = abs(from.bearing(to: to) - example.bearing)
      #expect(min(turn, 360 - turn) < 0.01, "\(example.case)")
      #expect(0..<360 ~= from.bearing(to: to))
    }
  }

  @Test(
    "Metres are written no finer than places are known",
    arguments: [
      (0, "0 metres"), (3.4, "3 metres"), (99.4, "99 metres"), (99.6, "100 metres"),
      (134, "130 metres"), (994, "990 metres"), (996, "1.0 kilometres"), (9940, "9.9 kilometres"),
      (9960, "10 kilometres"), (12_345_678, "12,346 kilometres"),
    ])
  func metres(metres: Double, words: String) {
    let (number, unit) = LengthUnits.metres.measured(metres)
    #expect("\(number) \(unit)" == words)
  }

  @Test(
    "Feet likewise",
    arguments: [
      (0, "0 feet"), (3.4, "11 feet"), (99.4, "330 feet"), (134, "440 feet"), (994, "0.6 miles"),
      (9960, "6.2 miles"), (12_345_678, "7,671 miles"),
    ])
  func feet(metres: Double, words: String) {
    let (number, unit) = LengthUnits.feet.measured(metres)
    #expect("\(number) \(unit)" == words)
  }
}
