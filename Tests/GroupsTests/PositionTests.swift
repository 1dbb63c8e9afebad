import Testing

@testable import Groups

@Suite("Points on the earth")
struct PositionTests {
  private func position(_ latitude: Double, _ longitude: Double) throws -> Position {
    try #require(Position(latitude: latitude, longitude: longitude))
  }

  @Test(
    "An invalid position is nil",
    arguments: [(90.0001, 0), (-91, 0), (0, 180.0001), (0, -181), (.nan, 0), (0, .infinity)])
  func none(latitude: Double, longitude: Double) {
    #expect(Position(latitude: latitude, longitude: longitude) == nil)
  }

  @Test("The edges are points", arguments: [(90.0, 180.0), (-90, -180), (0, 0)])
  func edges(latitude: Double, longitude: Double) {
    #expect(Position(latitude: latitude, longitude: longitude) != nil)
  }

  @Test("Distances are those of the world")
  func distances() throws {
    // Taipei Main Station to Kaohsiung Station, some 297 km apart.
    let (taipei, kaohsiung) = (try position(25.0478, 121.5170), try position(22.6394, 120.3025))
    #expect(abs(taipei.distance(to: kaohsiung) - 295_200) < 3000)
    #expect(taipei.distance(to: taipei) == 0)
    #expect(taipei.distance(to: kaohsiung) == kaohsiung.distance(to: taipei))
    // A thousandth of a degree to the north.
    #expect(abs(try position(25, 121).distance(to: position(25.001, 121)) - 111.2) < 0.5)
    // Around the other side of the world, and from pole to pole.
    #expect(abs(try position(0, 179.9995).distance(to: position(0, -179.9995)) - 111.2) < 0.5)
    #expect(abs(try position(90, 0).distance(to: position(-90, 50)) - 20_015_115) < 100)
  }

  @Test(
    "Directions are those of a compass",
    arguments: [
      (0.01, 0.0, CompassPoint.north), (0.01, 0.01, .northEast), (0, 0.01, .east),
      (-0.01, 0.01, .southEast), (-0.01, 0, .south), (-0.01, -0.01, .southWest),
      (0, -0.01, .west), (0.01, -0.01, .northWest),
    ])
  func directions(north: Double, east: Double, point: CompassPoint) throws {
    let bearing = try position(0, 0).bearing(to: position(north, east))
    #expect((0..<360).contains(bearing))
    #expect(CompassPoint(bearing: bearing) == point)
  }

  @Test("Every bearing has a point", arguments: [359.9, 360, 720, -1, .nan, .infinity])
  func any(bearing: Double) {
    #expect(CompassPoint(bearing: bearing) == .north)
  }
}
