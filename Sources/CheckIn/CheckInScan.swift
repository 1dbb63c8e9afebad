import Basics

/// The round that the worker makes.
struct CheckInScan {
  /// How often it comes, in s.
  static let every: Int64 = .minutes(15)
}
