/// The layout of a new file: ranges of the original and new blocks.
struct PhotoAssembly {
  struct Piece {
    let bytes: [UInt8]
    let range: Range<Int>
    /// Whether it has pixel data only.
    let isBulk: Bool
  }

  let story: PhotoStory?
  let parts: PhotoParts
  let blocks: [UInt8]
  /// All pieces, in order.
  let pieces: [Piece]

  init(_ story: PhotoStory?, _ parts: PhotoParts, _ original: [UInt8]) throws(PhotoError) {
    self.story = story
    self.parts = parts
    blocks =
      switch parts.format {
      case .jpeg: try JPEGParts.blocks(story, parts)
      case .png: try PNGParts.blocks(story, parts)
      }
    var pieces = [
      Piece(bytes: original, range: parts.opening, isBulk: false),
      Piece(bytes: blocks, range: blocks.indices, isBulk: false),
    ]
    var bulk = parts.bulk[...]
    for range in parts.core {
      var start = range.lowerBound
      while let next = bulk.first, next.upperBound <= range.upperBound {
        pieces.append(Piece(bytes: original, range: start..<next.lowerBound, isBulk: false))
        pieces.append(Piece(bytes: original, range: next, isBulk: true))
        start = next.upperBound
        bulk.removeFirst()
      }
      pieces.append(Piece(bytes: original, range: start..<range.upperBound, isBulk: false))
    }
    self.pieces = pieces.filter { !$0.range.isEmpty }
  }

  /// Size in bytes.
  var count: Int { pieces.reduce(0) { $0 + $1.range.count } }
}
