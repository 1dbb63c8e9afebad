/// An encrypted value and its location.
public struct EncryptedSample: Sendable {
  /// The number of values of a kind that are tried: wrong keys decrypt none.
  public static let maximumCount = 50

  public let sealed: [UInt8]
  public let context: AssociatedData

  public init(_ sealed: [UInt8], _ context: AssociatedData) {
    self.sealed = sealed
    self.context = context
  }
}

extension KeyRing {
  /// A line for the operator about the values of a sample that do not decrypt; empty if all do.
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
      "\(count) of \(sample.count) \(what) cannot be decrypted with the current keys: \(first)"
    ]
  }
}
