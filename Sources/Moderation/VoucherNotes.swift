import Basics
import Database

extension ModerationModule {
  /// Notes in the log of staff that an admin made vouchers, or with nil that one ended some, in the
  /// transaction that does it.
  public func noteVouchers(
    made: String?, by viewer: Viewer, now: Instant, in writer: Writer
  ) throws {
    try services.log.add(
      made == nil ? .vouchersend : .vouchers, to: nil, couple: nil, details: made ?? "", note: "",
      by: viewer, now: now, in: writer)
  }
}
