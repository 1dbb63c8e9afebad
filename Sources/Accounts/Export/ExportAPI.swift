import Core
import Web

/// `/api/v1/account/export`: a user's data as one file.
struct ExportAPI {
  private let services: AccountsEnvironment

  private var service: ExportService { ExportService(services: services) }

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .post, "/account/export", .atLeast(.guest),
        Operation(
          "Export your data", .account,
          note: "Runs in the background. Returns the running export if there is one.",
          errors: [.rateLimited]), options: .idempotent, handler: begin),
      .api(
        .get, "/account/export/:id", .atLeast(.guest),
        Operation("Get the status of an export", .account), options: .noStore, handler: show),
      .api(
        .get, "/account/export/:id/file", .atLeast(.guest),
        Operation("Download a finished export", .account),
        answers: [.init(.ok, "The archive.", contentType: "application/zip")],
        options: .noStore
      ) { context in
        try service.send(context.id(), context)
      },
    ]
  }

  struct ExportStarted: JSONResponse {
    let id: ID<PersonalExport>

    static let jsonName = "ExportBegun"
    static let jsonFields: [JSONField<Self>] = [JSONField("id") { $0.id }]
  }

  struct ExportResponse: JSONResponse {
    let export: PersonalExport
    let baseURL: String

    private var fileURL: String? {
      export.state == .ready
        ? "\(baseURL)\(Route.apiBase)/account/export/\(export.id)/file" : nil
    }

    static let jsonName = "Export"
    static let jsonFields: [JSONField<Self>] = [
      JSONField("id") { $0.export.id },
      JSONField("state") { $0.export.state },
      JSONField("progress", note: "In per cent.", example: 40) { $0.export.progress },
      JSONField("bytes", note: "Size of the archive; null until it is ready.") {
        $0.export.state == .ready ? Int($0.export.bytes) : nil
      },
      JSONField("requested_at") { $0.export.requestedAt },
      JSONField("expires_at", note: "The archive is deleted after this time.") {
        $0.export.expiresAt
      },
      JSONField("file_url", note: "Null until it is ready.") { $0.fileURL },
    ]
  }

  @Sendable private func begin(_ context: Context) throws -> Accepted<ExportStarted> {
    try context.answering(
      { try service.begin(for: context.signedIn(), now: context.now) },
      {
        Accepted(ExportStarted(id: $0))
      })
  }

  @Sendable private func show(_ context: Context) throws -> ExportResponse {
    ExportResponse(export: try service.find(context.id(), context), baseURL: services.site.baseURL)
  }
}

extension PersonalExport.State: JSONEnum {}
