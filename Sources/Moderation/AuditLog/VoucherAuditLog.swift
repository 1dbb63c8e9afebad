import Accounts
import Core
import Database

extension ModerationModule {
  /// Logs that an admin created or ended a batch of vouchers, in the same transaction. `batch` is
  /// the batch's id (16 bytes), `details` its contents.
  public func noteVouchers(
    ended: Bool, batch: [UInt8], details: String, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try services.log.add(
      ended ? .vouchersend : .vouchers, to: AuditTarget(kind: "vouchers", bytes: batch),
      details: details, by: viewer, now: now, in: writer)
  }
}
