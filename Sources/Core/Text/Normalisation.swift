import Foundation

/// Unicode normalisation. No other code normalises, so that a test can measure the work of a
/// request.
public enum Normalisation {
  /// Called with the number of bytes of each text before it is normalised; for tests.
  @TaskLocal public static var observer: (@Sendable (Int) -> Void)?
}

extension String {
  /// The text in NFC.
  public var composed: String {
    Normalisation.observer?(utf8.count)
    return precomposedStringWithCanonicalMapping
  }

  /// The text in NFKC; nil if it has more than this many bytes. One character can expand to 18.
  public func compatible(upTo bytes: Int) -> String? {
    guard utf8.count <= bytes else { return nil }
    Normalisation.observer?(utf8.count)
    return precomposedStringWithCompatibilityMapping
  }

  /// The text in NFKD.
  public var compatiblyDecomposed: String {
    Normalisation.observer?(utf8.count)
    return decomposedStringWithCompatibilityMapping
  }
}
