import Accounts
import Core
import Foundation
import HTTPTypes
import Templates
import Web

/// `/admin/vouchers`: an admin creates and ends batches of codes. The codes are shown once, right
/// after creation.
struct VoucherPages {
  /// Batches per page.
  static let pageSize = 50
  private static let order = ["coins", "count", "days"]

  private let services: WalletEnvironment
  private let page: Page<VouchersView>
  private let ending: Page<VoucherEndView>

  private var service: VoucherService { VoucherService(services: services) }

  init(_ services: WalletEnvironment) throws {
    self.services = services
    page = try Page("staff/vouchers", title: "admin.vouchers", in: services.site)
    ending = try Page("staff/vouchers-end", title: "admin.vouchers.end_title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try answer(
      context, before: context.request.queryValue("before").flatMap { ID<Voucher>($0) },
      entered: ["coins": "50", "count": "10", "days": "90"])
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    var errors: [String: FieldError] = [:]
    func number(_ field: String, _ range: ClosedRange<Int>) -> Int {
      let entered = context.form[field].compatible(upTo: 100)?.filter { !$0.isWhitespace }
      guard let number = Int(entered ?? "", in: range) else {
        errors[field] = FieldError(
          "error.voucher_\(field)",
          ["least": range.lowerBound.grouped, "most": range.upperBound.grouped])
        return range.lowerBound
      }
      return number
    }
    let (coins, count) = (
      number("coins", VoucherRules.coins), number("count", VoucherRules.count)
    )
    let days = number("days", VoucherRules.days)
    guard errors.isEmpty else {
      let entered = Self.order.map { ($0, context.form[$0]) }
      return try answer(
        context, entered: .init(entered) { $1 }, errors: errors, status: .unprocessableContent)
    }
    let preference = NewVoucherBatch(
      nonce: FieldLimits.nonce.beginning(of: context.form["batch"]), coins: coins, count: count,
      days: days)
    guard let codes = try service.make(preference, by: viewer, now: context.now) else {
      // A repeated form does not show the codes again.
      context.flash("toast.vouchers_made_before")
      return .seeOther(WalletLinks.vouchers)
    }
    return try answer(context, entered: [:], made: codes)
  }

  /// Confirmation page: unused codes of the batch become invalid.
  @Sendable func askEnd(_ context: Context) throws -> Response {
    let voucher = try service.running(context.id("id", Voucher.self), now: context.now)
    let view = VoucherEndView(
      voucher: voucher, until: DateFormatting(context).moment(voucher.expiresAt))
    return ending.response(view, context)
  }

  @Sendable func end(_ context: Context) throws -> Response {
    try service.end(
      context.id("id", Voucher.self), by: context.signedIn(), now: context.now)
    context.flash("toast.voucher_ended")
    return .seeOther(WalletLinks.vouchers)
  }

  private func answer(
    _ context: Context, before: ID<Voucher>? = nil, entered: [String: String],
    errors: [String: FieldError] = [:],
    made: [VoucherCode] = [], status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let when = DateFormatting(context)
    let found = try services.site.database.read {
      try services.vouchers.batches(before: before, limit: Self.pageSize + 1, in: $0)
    }
    let batches = found.prefix(Self.pageSize)
    let view = VouchersView(
      nonce: UUID().uuidString.lowercased(),
      entered: entered, errors: errors.texts(context), made: made.map(\.text),
      batches: batches.map {
        VoucherView(
          voucher: $0, until: when.moment($0.expiresAt), hasEnded: $0.expiresAt <= context.now)
      },
      older: found.count > batches.count
        ? batches.last.map { WalletLinks.vouchers(before: $0.id) } : nil
    )
    return page.response(view, context, status: status)
  }
}

struct VouchersView: FormContent {
  let nonce: String
  let entered: [String: String]
  let errors: [String: String]
  let made: [String]
  let batches: [VoucherView]
  let older: String?

  static let fields: [String: Field<VouchersView>] =
    formFields(
      errors: ["coins", "count", "days"],
      [
        "action": .text { _ in WalletLinks.vouchers },
        "admin_link": .text { _ in AccountLinks.admin },
        "batch": .text { $0.nonce },
        "form": .flag { $0.made.isEmpty },
        "made": .flag { !$0.made.isEmpty },
        "codes": .text { $0.made.joined(separator: "\n") },
        "count": .integer { $0.made.count },
        "coins": .optionalText { $0.entered["coins"] },
        "amount": .optionalText { $0.entered["count"] },
        "days": .optionalText { $0.entered["days"] },
        "batches": .list { $0.batches },
        "empty": .flag { $0.batches.isEmpty },
        "older": .optionalText { $0.older },
        "list_link": .text { _ in WalletLinks.vouchers },
      ])
}

/// A batch in the list.
struct VoucherView: View {
  let voucher: Voucher
  let until: String
  let hasEnded: Bool

  static let fields: [String: Field<VoucherView>] = [
    "id": .text { $0.voucher.id.description },
    "end_link": .text { WalletLinks.end($0.voucher.id) },
    "count": .integer { $0.voucher.count },
    "coins": .integer { $0.voucher.coins },
    "used": .integer { $0.voucher.used },
    "until": .text { $0.until },
    "ended": .flag { $0.hasEnded },
  ]
}

/// `/admin/vouchers/{id}/end`: describes the batch to be ended.
struct VoucherEndView: View {
  let voucher: Voucher
  let until: String

  static let fields: [String: Field<VoucherEndView>] = [
    "action": .text { WalletLinks.end($0.voucher.id) },
    "list_link": .text { _ in WalletLinks.vouchers },
    "count": .integer { $0.voucher.count },
    "coins": .integer { $0.voucher.coins },
    "used": .integer { $0.voucher.used },
    "left": .integer { $0.voucher.count - $0.voucher.used },
    "until": .text { $0.until },
  ]
}
