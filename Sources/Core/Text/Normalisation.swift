import Foundation

/// The normal forms of Unicode. Nothing else makes them, so that a test can tell how much work a
/// request is.
public enum Normalisation {
  /// Told the bytes of each text before it is normalised; for tests.
  @TaskLocal public static var observer: (@Sendable (Int) -> Void)?
}

extension String {
  /// NFC.
  public var composed: String {
    Normalisation.observer?(utf8.count)
    return precomposedStringWithCanonicalMapping
  }

  /// NFKC of a text of at most so many bytes, nil for a longer one. One character can become 18.
  public func compatible(upTo bytes: Int) -> String? {
    guard utf8.count <= bytes else { return nil }
    Normalisation.observer?(utf8.count)
    return precomposedStringWithCompatibilityMapping
  }

  /// NFKD.
  public var compatiblyDecomposed: String {
    Normalisation.observer?(utf8.count)
    return decomposedStringWithCompatibilityMapping
  }
}
