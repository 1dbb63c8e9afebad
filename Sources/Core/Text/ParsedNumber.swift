extension FixedWidthInteger {
  /// Parses an untrusted whole number in decimal digits with an optional sign; nil if it is not one
  /// or is outside of `range`. Arithmetic on it may trap, so pass the range that the rules allow.
  public init?(_ sent: some StringProtocol, in range: ClosedRange<Self>) {
    guard let number = Self(sent), range.contains(number) else { return nil }
    self = number
  }
}
