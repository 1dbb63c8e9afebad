import Testing

@testable import Groups

@Suite("Places are read from what people paste")
struct PastedPositionTests {
  @Test(
    "Coordinates in degrees",
    arguments: [
      ("25.0330, 121.5654", 25.033, 121.5654), ("25.0330,121.5654", 25.033, 121.5654),
      ("25,0330 121,5654", 25.033, 121.5654), ("25,0330; 121,5654", 25.033, 121.5654),
      ("25,0330,121,5654", 25.033, 121.5654), ("  25.033   121.5654 ", 25.033, 121.5654),
      ("−33.8688, 151.2093", -33.8688, 151.2093), ("33.9° S, 151.2° E", -33.9, 151.2),
      ("N 40.7 W 74", 40.7, -74), ("25.033，121.5654", 25.033, 121.5654), ("25, 121", 25, 121),
    ])
  func coordinates(text: String, latitude: Double, longitude: Double) {
    #expect(Position(pasted: text) == Position(latitude: latitude, longitude: longitude))
  }

  @Test(
    "A geo URI",
    arguments: [
      "geo:25.033,121.5654", "geo:25.033,121.5654;u=35", "geo:25.033,121.5654?z=17",
      "geo:0,0?q=25.033,121.5654(Tea%20house)", "GEO:25.033,121.5654",
    ])
  func uri(text: String) {
    #expect(Position(pasted: text) == Position(latitude: 25.033, longitude: 121.5654))
  }

  @Test(
    "Links of maps; a marked place goes before the middle of the map",
    arguments: [
      "https://www.openstreetmap.org/?mlat=25.033&mlon=121.5654#map=12/24.9/121.1",
      "https://www.openstreetmap.org/#map=17/25.033/121.5654",
      "https://www.openstreetmap.org/node/1234#map=17/25.033/121.5654&layers=N",
      "https://www.google.com/maps/@25.033,121.5654,17z",
      "https://www.google.com/maps/place/a/@24.9,121.1,17z/data=!3d25.033!4d121.5654!16s",
      "https://www.google.com/maps?q=25.033,121.5654",
      "https://www.google.com/maps/search/?api=1&query=25.033%2C121.5654",
      "https://maps.apple.com/?ll=25.033,121.5654&q=Tea%20house",
      "https://maps.apple.com/place?coordinate=25.033,121.5654&name=Tea",
    ])
  func links(text: String) {
    #expect(Position(pasted: text) == Position(latitude: 25.033, longitude: 121.5654))
  }

  @Test(
    "Anything else is no place",
    arguments: [
      "", "25", "x, y", "91, 0", "0, 181", "nan, 0", "1e400, 0", "25.033", "1 2 3",
      "geo:", "geo:91,0", "javascript:1,2", "https://maps.app.goo.gl/a", "https://example.test/",
      "https://www.google.com/maps/place/Tea+house", String(repeating: "1 ", count: 2000),
    ])
  func none(text: String) {
    #expect(Position(pasted: text) == nil)
  }

  @Test("A place's own link on a map leads back to it")
  func ownLink() throws {
    let place = try #require(Position(latitude: -33.8688, longitude: 151.2093))
    #expect(Position(pasted: place.mapLink) == place)
  }
}
