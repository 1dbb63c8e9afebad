extension String {
  /// Whether putting the text into a normal form, or comparing it, takes little time: it is short
  /// enough for any run of marks (a story may be one letter with thousands), or has no long one.
  public var isQuickToNormalise: Bool { utf8.count <= 10_000 || isStreamSafe }

  /// Whether no character carries so many marks that putting them in order would take long: the
  /// time of normalising grows with the square of a run of marks (Unicode Standard Annex 15,
  /// section 13, where 30 are more than any language needs).
  public var isStreamSafe: Bool {
    var marks = 0
    for scalar in unicodeScalars {
      // The first mark of all; what comes before it carries marks and is none.
      if scalar.value < 0x300 || scalar.properties.canonicalCombiningClass == .notReordered {
        marks = 0
      } else {
        marks += 1
        if marks > 64 { return false }
      }
    }
    return true
  }
}
