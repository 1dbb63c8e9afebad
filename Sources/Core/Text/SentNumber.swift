extension FixedWidthInteger {
  /// The whole number that a stranger sent, in decimal digits with an optional sign; nil where it is
  /// none or lies outside of `range`. Arithmetic on it may trap: give the range that the rules allow.
  public init?(_ sent: some StringProtocol, in range: ClosedRange<Self>) {
    guard let number = Self(sent), range.contains(number) else { return nil }
    self = number
  }
}
