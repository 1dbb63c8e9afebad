/// A sealed value, and the place that it was sealed for.
public struct EncryptedSample: Sendable {
  /// How many of a kind are tried: keys that don't fit open none.
  public static let most = 50

  public let sealed: [UInt8]
  public let context: AssociatedData

  public init(_ sealed: [UInt8], _ context: AssociatedData) {
    self.sealed = sealed
    self.context = context
  }
}

extension KeyRing {
  /// A line for an operator about those of a sample that don't open; none when all do.
  public func problems(_ what: String, opening sample: [EncryptedSample]) -> [String] {
    var (count, first) = (0, SealError?.none)
    for one in sample {
      do throws(SealError) {
        _ = try open(one.sealed, for: one.context)
      } catch {
        count += 1
        first = first ?? error
      }
    }
    guard let first else { return [] }
    return [
      "\(count) of \(sample.count) \(what) can't be opened with the keys that are here: \(first)"
    ]
  }
}
