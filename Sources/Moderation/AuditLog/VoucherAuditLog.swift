import Accounts
import Core
import Database

extension ModerationModule {
  /// Notes in the log of staff that an admin made a batch of vouchers, or ended it, in the
  /// transaction that does it. `batch` are the 16 bytes of its identifier, `details` what is in it.
  public func noteVouchers(
    ended: Bool, batch: [UInt8], details: String, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try services.log.add(
      ended ? .vouchersend : .vouchers, to: AuditTarget(kind: "vouchers", bytes: batch),
      details: details, by: viewer, now: now, in: writer)
  }
}
