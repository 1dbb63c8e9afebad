extension Int {
  /// The number with its thousands separated, as all three languages write it: `1,205`.
  public var grouped: String {
    var output = Output()
    output.append(grouping: self)
    return String(decoding: output.bytes, as: UTF8.self)
  }
}

extension Output {
  /// Appends a whole number in plain digits: `1205`.
  public mutating func append(_ number: Int) {
    append(number, grouped: false)
  }

  /// Appends a whole number with its thousands separated, as all three languages write it: `1,205`.
  public mutating func append(grouping number: Int) {
    append(number, grouped: true)
  }

  private mutating func append(_ number: Int, grouped: Bool) {
    reserve(32)
    if number < 0 {
      base[count] = UInt8(ascii: "-")
      advance(1)
    }
    let magnitude = number.magnitude
    let digits = Self.digits(in: magnitude)
    let length = digits + (grouped ? (digits - 1) / 3 : 0)
    var write = base + count + length
    var rest = magnitude
    for place in 0..<digits {
      if grouped, place > 0, place % 3 == 0 {
        write -= 1
        write.pointee = UInt8(ascii: ",")
      }
      write -= 1
      write.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    advance(length)
  }

  private static func digits(in magnitude: UInt) -> Int {
    var digits = 1
    var rest = magnitude
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    return digits
  }
}
