import Core
import Foundation
import PNG

/// A drawn landscape of waves and a round light: the pictures of the demonstration data.
struct DemoImage: Sendable {
  private let sky: (UInt32, UInt32)
  private let light: UInt32
  private let hills: [UInt32]
  private let phase: Double

  static let lake = DemoImage(
    sky: (0xF6D9C6, 0xF3E6DC), light: 0xFFF3DA, hills: [0x9DB6C4, 0x6F90A3, 0x47708A, 0x2F4F63],
    phase: 0.4)
  static let dunes = DemoImage(
    sky: (0xFBE7C9, 0xF7DDBE), light: 0xFFF8E6, hills: [0xE9C79A, 0xDBAF7C, 0xC68F5E, 0xA66B43],
    phase: 1.7)
  static let dawn = DemoImage(
    sky: (0xF3B79D, 0xFBE3CF), light: 0xFFE9C7, hills: [0xC7847A, 0x9A5C67, 0x6B3F57, 0x422A44],
    phase: 2.6)
  static let forest = DemoImage(
    sky: (0xDDE9D0, 0xF4EFD6), light: 0xFFF6D8, hills: [0xA9C9A4, 0x77A684, 0x4A7F68, 0x2C5A4E],
    phase: 3.9)
  static let night = DemoImage(
    sky: (0x1F2A4A, 0x3C3F66), light: 0xF5EBCF, hills: [0x39456B, 0x2A3557, 0x1D2743, 0x121A30],
    phase: 5.2)

  private static let width = 1200
  private static let height = 900

  /// Writes the scene as an image file into a folder; returns its path.
  func draw(into folder: String) throws -> String {
    let path = "\(folder)/upload-\(ID<DemoImage>.random())"
    try Data(
      PNGEncoder.encode(
        .colours, width: Self.width, height: Self.height, pixels: pixels())
    )
    .write(to: URL(fileURLWithPath: path))
    return path
  }

  private func pixels() -> [UInt8] {
    let ridges = hills.indices.map { layer in (0..<Self.width).map { ridge(layer, Double($0)) } }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(Self.width * Self.height * 3)
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        let layer = hills.indices.last { Double(y) >= ridges[$0][x] }
        let colour = layer.map { hills[$0] } ?? skyColour(Double(x), Double(y))
        pixels.append(UInt8(colour >> 16 & 0xFF))
        pixels.append(UInt8(colour >> 8 & 0xFF))
        pixels.append(UInt8(colour & 0xFF))
      }
    }
    return pixels
  }

  private func ridge(_ layer: Int, _ x: Double) -> Double {
    let depth = Double(layer)
    let wide = sin(x / (260 - 30 * depth) + phase * (depth + 1))
    let fine = sin(x / (90 + 17 * depth) + phase * 3 + depth)
    return 430 + 110 * depth + (70 - 8 * depth) * wide + 22 * fine
  }

  private func skyColour(_ x: Double, _ y: Double) -> UInt32 {
    let (centreX, centreY) = (300 + 120 * phase, 210.0)
    let distance = (x - centreX) * (x - centreX) + (y - centreY) * (y - centreY)
    if distance < 70 * 70 { return light }
    let share = min(1, y / 600)
    func mixed(_ shift: UInt32) -> UInt32 {
      let (from, to) = (Double(sky.0 >> shift & 0xFF), Double(sky.1 >> shift & 0xFF))
      return UInt32(from + (to - from) * share) << shift
    }
    return mixed(16) | mixed(8) | mixed(0)
  }
}
