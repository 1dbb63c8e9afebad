/// Rotates and mirrors rows of pixels or samples. Copies in small blocks, so that the rows of both
/// sides stay in the processor's cache.
struct Turn {
  /// Width of the source in px; below, its height.
  private let width: Int
  private let height: Int
  private let swaps: Bool
  private let mirrorsX: Bool
  private let mirrorsY: Bool

  init(width: Int, height: Int, orientation: Orientation) {
    self.width = width
    self.height = height
    swaps = orientation.swapsSides
    mirrorsX = [.mirrored, .upsideDown, .transversed, .quarterLeft].contains(orientation)
    mirrorsY = [.upsideDown, .flipped, .quarterRight, .transversed].contains(orientation)
  }

  /// Copies all pixels; `source` and `target` return the row of a number.
  func copy<Pixel>(
    from source: (Int) -> UnsafeMutablePointer<Pixel>?,
    to target: (Int) -> UnsafeMutablePointer<Pixel>?
  ) {
    let block = 32
    for top in stride(from: 0, to: height, by: block) {
      for left in stride(from: 0, to: width, by: block) {
        for y in top..<min(top + block, height) {
          guard let row = source(y) else { continue }
          let newY = mirrorsY ? height - 1 - y : y
          for x in left..<min(left + block, width) {
            let newX = mirrorsX ? width - 1 - x : x
            if swaps {
              target(newX)?[newY] = row[x]
            } else {
              target(newY)?[newX] = row[x]
            }
          }
        }
      }
    }
  }
}
