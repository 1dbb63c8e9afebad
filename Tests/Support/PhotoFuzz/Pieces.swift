/// A file as a list of its blocks, so that each can be broken and still be found at its place.
struct Pieces {
  private struct Piece {
    /// A JPEG's marker or a PNG's type.
    let name: [UInt8]
    var content: [UInt8]
    /// Without it, or with a broken one, the rest is not parsed.
    let isNeeded: Bool
  }

  private let start: [UInt8]
  private let isJPEG: Bool
  private var pieces: [Piece] = []
  private let end: [UInt8]

  /// Nil if the file can't be split.
  init?(_ bytes: [UInt8]) {
    isJPEG = bytes.starts(with: [0xFF, 0xD8])
    start = Array(bytes.prefix(isJPEG ? 2 : 8))
    var position = start.count
    let (head, tail) = isJPEG ? (4, 0) : (8, 4)
    while position + head <= bytes.count {
      // A JPEG's scans are not changed.
      if isJPEG, bytes[position] != 0xFF || bytes[position + 1] == 0xDA { break }
      let name =
        isJPEG ? bytes[(position + 1)...(position + 1)] : bytes[(position + 4)..<(position + 8)]
      let field = isJPEG ? bytes[(position + 2)..<(position + 4)] : bytes[position..<(position + 4)]
      let length = field.reduce(0) { $0 << 8 | Int($1) } - (isJPEG ? 2 : 0)
      guard length >= 0, position + head + length + tail <= bytes.count else { break }
      let isNeeded =
        isJPEG ? name.allSatisfy { $0 < 0xE0 } : name.allSatisfy { $0 & 0x20 == 0 }
      let content = bytes[(position + head)..<(position + head + length)]
      pieces.append(Piece(name: Array(name), content: Array(content), isNeeded: isNeeded))
      position += head + length + tail
    }
    end = Array(bytes[position...])
    guard pieces.contains(where: { !$0.isNeeded }) else { return nil }
  }

  var bytes: [UInt8] { bytes(end: end) }

  /// Whether a JPEG has its size.
  var hasFrame: Bool { pieces.contains { $0.name == [0xC0] || $0.name == [0xC2] } }

  /// With another rest.
  func bytes(end: [UInt8]) -> [UInt8] {
    var result = start
    for piece in pieces {
      if isJPEG {
        result += Blocks.segment(piece.name[0], Array(piece.content.prefix(65_533)))
      } else {
        result += Blocks.chunk(String(decoding: piece.name, as: UTF8.self), piece.content)
      }
    }
    return result + end
  }

  mutating func mutate(_ corpus: [[UInt8]], _ dice: inout SeededRandom) {
    for _ in 0...dice.below(4) {
      let places = pieces.indices.filter { !pieces[$0].isNeeded || dice.below(40) == 0 }
      guard let place = dice.any(places) else { continue }
      switch dice.below(16) {
      case 0: if pieces.count > 1 { pieces.remove(at: place) }
      case 1: pieces.insert(pieces[place], at: dice.below(pieces.count))
      case 2: pieces.swapAt(place, dice.below(pieces.count))
      case 3: pack(place, corpus, &dice)
      default:
        for _ in 0...dice.below(3) { Mutator.change(&pieces[place].content, corpus, &dice) }
      }
    }
  }

  /// A broken stream is rejected before its text is parsed, so this wraps a broken text in an
  /// intact stream.
  private mutating func pack(_ place: Int, _ corpus: [[UInt8]], _ dice: inout SeededRandom) {
    let name = String(decoding: pieces[place].name, as: UTF8.self)
    guard ["zTXt", "iTXt"].contains(name),
      let keyword = pieces[place].content.split(separator: 0).first
    else { return }
    var text = dice.pick(Corpus.packable)
    for _ in 0...dice.below(4) { Mutator.change(&text, corpus, &dice) }
    let head: [UInt8] = name == "zTXt" ? [0, 0] : [0, 1, 0, 0, 0]
    pieces[place].content = keyword + head + Blocks.pack(text)
  }
}
