import PNG
import WorkoutFiles

/// A picture of a workout for a post: the curve of its first kind of samples on a coloured ground.
struct WorkoutPicture {
  /// In px.
  static let (width, height) = (1200, 630)
  /// Free space above and below the curve, in px.
  private static let (above, below) = (90, 60)

  private typealias Colour = (red: Double, green: Double, blue: Double)
  private static let sky: (Colour, Colour) = ((246, 217, 198), (250, 245, 239))
  private static let curve: (Colour, Colour) = ((232, 103, 74), (196, 67, 42))

  /// The kind of samples that is drawn, if there are any.
  let kind: ChartKind?
  private let tops: [Int?]

  init(_ samples: RecordedSamples) {
    kind = ChartKind.allCases.first { !samples.thousandths(of: $0.samples).isEmpty }
    tops = kind.map { Self.tops(samples[$0.samples]) } ?? []
  }

  /// The upper end of the curve in each column of pixels; nil where no value was measured.
  private static func tops(_ values: [Double?]) -> [Int?] {
    let columns = (0..<width).map { column -> Double? in
      let first = column * values.count / width
      let last = max(first + 1, (column + 1) * values.count / width)
      let measured = values[first..<min(last, values.count)].compactMap { $0 }
      return measured.isEmpty ? nil : measured.reduce(0, +) / Double(measured.count)
    }
    let (least, most) = (columns.compactMap { $0 }.min() ?? 0, columns.compactMap { $0 }.max() ?? 0)
    let room = Double(height - above - below)
    return columns.map { value in
      value.map { above + Int(room * (most > least ? (most - $0) / (most - least) : 0.5)) }
    }
  }

  /// The picture as a PNG file.
  func png() -> [UInt8] {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(Self.width * Self.height * 3)
    for row in 0..<Self.height {
      let part = Double(row) / Double(Self.height)
      let (ground, fill) = (Self.mix(Self.sky, part), Self.mix(Self.curve, part))
      for column in 0..<Self.width {
        let isFilled = tops.isEmpty ? false : tops[column].map { row >= $0 } ?? false
        pixels += isFilled ? fill : ground
      }
    }
    return PNGEncoder.encode(.colours, width: Self.width, height: Self.height, pixels: pixels)
  }

  private static func mix(_ colours: (Colour, Colour), _ part: Double) -> [UInt8] {
    let (from, to) = colours
    return [(from.red, to.red), (from.green, to.green), (from.blue, to.blue)].map {
      UInt8($0 + ($1 - $0) * part)
    }
  }
}
