/// Punycode of one label of a domain (RFC 3492).
enum Punycode {
  private static let base: UInt32 = 36
  private static let minimumThreshold: UInt32 = 1
  private static let maximumThreshold: UInt32 = 26
  private static let skew: UInt32 = 38
  private static let initialDamp: UInt32 = 700
  private static let firstBias: UInt32 = 72
  private static let firstCode: UInt32 = 128
  /// No label within 63 bytes has more characters; the limit keeps the sums below in 32 bits.
  private static let maximumScalars = 63

  /// The ASCII form without the prefix "xn--" (section 6.3); nil if the label is too long for any
  /// domain.
  static func encode(_ label: String) -> String? {
    let scalars = label.unicodeScalars.map(\.value)
    guard scalars.count <= maximumScalars else { return nil }
    var output = scalars.filter { $0 < firstCode }.map { UInt8($0) }
    let basic = UInt32(output.count)
    if basic > 0 { output.append(UInt8(ascii: "-")) }

    var code = firstCode
    var delta: UInt32 = 0
    var bias = firstBias
    var handled = basic
    while handled < UInt32(scalars.count) {
      guard let next = scalars.filter({ $0 >= code }).min() else { return nil }
      delta += (next - code) * (handled + 1)
      code = next
      for scalar in scalars {
        if scalar < code { delta += 1 }
        guard scalar == code else { continue }
        append(delta, bias: bias, to: &output)
        bias = adapted(delta, points: handled + 1, first: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      code += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends a variable-length number, least significant digit first (section 3.3).
  private static func append(_ delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
    var rest = delta
    var position = base
    while true {
      let threshold = position <= bias ? minimumThreshold : min(position - bias, maximumThreshold)
      guard rest >= threshold else { break }
      output.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      position += base
    }
    output.append(digit(rest))
  }

  /// The bias for the next number (section 6.1).
  private static func adapted(_ delta: UInt32, points: UInt32, first: Bool) -> UInt32 {
    var rest = first ? delta / initialDamp : delta / 2
    rest += rest / points
    var steps: UInt32 = 0
    while rest > (base - minimumThreshold) * maximumThreshold / 2 {
      rest /= base - minimumThreshold
      steps += base
    }
    return steps + (base - minimumThreshold + 1) * rest / (rest + skew)
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }
}
