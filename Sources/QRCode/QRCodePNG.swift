import Core
import PNG

extension QRCode {
  /// The code with its border as an SVG document (SVG 2).
  public var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(svgSide) \(svgSide)" \
    shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\(svgSide)v\(svgSide)H0z"/>\
    <path d="\(svgPath)"/></svg>
    """
  }

  /// The code with its border as a two-colour PNG, `scale` px a module.
  public func png(scale: Int) -> [UInt8] {
    let scale = max(1, min(scale, 64))
    let side = svgSide * scale
    var pixels: [UInt8] = []
    for row in -Self.quietZone..<(size + Self.quietZone) {
      let line = packed(row, scale: scale)
      for _ in 0..<scale { pixels += line }
    }
    return PNGEncoder.encode(.bits, width: side, height: side, pixels: pixels)
  }

  /// One row of px from the highest bit down, 1 for white.
  private func packed(_ row: Int, scale: Int) -> [UInt8] {
    var bits: [UInt8] = []
    var (byte, count): (UInt8, Int) = (0, 0)
    for column in -Self.quietZone..<(size + Self.quietZone) {
      for _ in 0..<scale {
        byte = byte << 1 | (self[row, column] ? 0 : 1)
        count += 1
        if count == 8 {
          bits.append(byte)
          (byte, count) = (0, 0)
        }
      }
    }
    if count > 0 { bits.append(byte << UInt8(8 - count)) }
    return bits
  }
}
