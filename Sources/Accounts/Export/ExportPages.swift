import Core
import Templates
import Web

/// `/settings/export`: a user's data as one file, built in the background.
struct ExportPages {
  private let services: AccountsEnvironment
  private let page: Page<ExportView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/export", title: "export.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let export = try services.exports.latest(of: context.signedIn(), now: context.now)
    let when = DateFormatting(context)
    let view = ExportView(export: export, until: export.map { when.moment($0.expiresAt) } ?? "")
    return page.response(view, context)
  }

  @Sendable func begin(_ context: Context) throws -> Response {
    try ExportService(services: services).begin(for: context.signedIn(), now: context.now)
    return .seeOther(AccountLinks.export)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    try ExportService(services: services).send(context.id(), context)
  }
}

struct ExportView: View {
  let export: PersonalExport?
  let until: String

  private var state: PersonalExport.State? { export?.state }

  private var isFailed: Bool { state == .failed || state == .tooLarge }

  /// Changes with everything that the page shows; a script polls it.
  private var mark: String {
    export.map { "\($0.state.rawValue)-\($0.progress)" } ?? "none"
  }

  static let fields: [String: Field<ExportView>] = [
    "settings_link": .text { _ in AccountLinks.settings },
    "action": .text { _ in AccountLinks.export },
    "state": .text { $0.mark },
    "may_begin": .flag { $0.state == nil },
    "may_repeat": .flag { $0.state == .ready || $0.isFailed },
    "is_waiting": .flag { $0.state == .waiting && $0.export?.progress == 0 },
    "is_running": .flag { $0.state == .waiting && $0.export?.progress != 0 },
    "is_ready": .flag { $0.state == .ready },
    "is_failed": .flag { $0.isFailed },
    "percent": .integer { $0.export?.progress ?? 0 },
    "size": .text { ByteSize.text($0.export?.bytes ?? 0) },
    "until": .text { $0.until },
    "file_link": .text { $0.export.map { AccountLinks.export($0.id) } ?? "" },
  ]
}

/// Formats a file size in decimal units: "34 KB", "1.2 MB".
enum ByteSize {
  static func text(_ bytes: Int64) -> String {
    var (value, unit) = (Double(max(bytes, 0)) / 1000, "KB")
    for next in ["MB", "GB"] where value >= 999.5 {
      (value, unit) = (value / 1000, next)
    }
    if unit == "KB" || value >= 99.5 { return "\(max(1, Int(value.rounded()))) \(unit)" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}
