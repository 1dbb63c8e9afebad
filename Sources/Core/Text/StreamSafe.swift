extension String {
  /// Whether normalising or comparing the text is fast: it is short enough for any run of combining
  /// marks (a story may be one character with thousands), or has no long run.
  public var isQuickToNormalise: Bool { utf8.count <= 10_000 || isStreamSafe }

  /// Whether the text has no long run of combining marks. The time of normalising grows with the
  /// square of a run (Unicode Standard Annex 15, section 13: 30 marks are more than any language
  /// needs).
  public var isStreamSafe: Bool {
    var marks = 0
    for scalar in unicodeScalars {
      // U+0300 is the first combining mark.
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
