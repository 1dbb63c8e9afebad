import Core
import Glibc
import HTTPClient
import Media
import Secrets
import Synchronization

/// Sends requests to a bucket, signed by libcurl (`CURLOPT_AWS_SIGV4`). All of them may be sent twice,
/// so one that fails for the moment is repeated.
final class S3Client: Sendable {
  /// A request below the bucket.
  struct Call {
    let method: String
    /// "/couples/…"; empty for the bucket itself.
    let path: String
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var file: String?
    /// Maximum length of the answer's body, in bytes; errors are short.
    var limit = 64 << 10
  }

  /// Times in s.
  struct Timing: Sendable {
    /// The longest time of one attempt.
    var attempt = 20.0
    /// The pauses before the second attempt and the third.
    var pauses = [0.2, 1.0]
    /// The time after which a request is not repeated: someone waits for it.
    var total = 8.0
    /// The time for which a store that did not answer is not asked again, so that requests of
    /// visitors don't queue for it.
    var rest = 5.0
  }

  private static let emptyHash = Hex.text(Digests.sha256([]))

  private let settings: S3Settings
  private let timing: Timing
  private let clock: any Clock
  private let log: @Sendable (String) -> Void
  private let connections = HTTPConnections()
  /// The rest after a silence of the store.
  private let rest = Mutex<Rest?>(nil)

  /// `clock` is the true time, which the store compares with its own. `log` gets the reason of each
  /// failure.
  init(
    _ settings: S3Settings, timing: Timing, clock: any Clock,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.settings = settings
    self.timing = timing
    self.clock = clock
    self.log = log
  }

  /// The answer to a request, if its status is one of 200 to 299, or 404. Throws `unavailable`.
  func send(_ call: Call) throws(MediaError) -> HTTPAnswer {
    if let rest = rest.withLock({ $0 }), ContinuousClock.now < rest.end {
      throw .unavailable(rest.reason)
    }
    let hash = try Self.hash(of: call)
    let began = ContinuousClock.now
    var failure = Failure(reason: "not sent")
    for pause in [0] + timing.pauses {
      usleep(UInt32(pause * 1_000_000))
      switch attempt(call, hash: hash) {
      case .success(let answer): return answer
      case .failure(let reason): failure = reason
      }
      let isLate = ContinuousClock.now - began > .seconds(timing.total)
      guard failure.isPassing, !isLate else { break }
    }
    let reason =
      "S3: \(call.method) \(settings.host)\(settings.base)\(call.path): \(failure.reason)"
    log(reason)
    if failure.isSilence {
      let end = ContinuousClock.now + .seconds(timing.rest)
      rest.withLock { $0 = Rest(end: end, reason: reason) }
    }
    throw .unavailable(reason)
  }

  private struct Rest: Sendable {
    let end: ContinuousClock.Instant
    let reason: String
  }

  private struct Failure: Error {
    let reason: String
    /// Whether the same request may succeed a moment later.
    var isPassing = false
    /// Whether there was no answer at all.
    var isSilence = false
  }

  private func attempt(_ call: Call, hash: String) -> Result<HTTPAnswer, Failure> {
    let client = HTTPClient(
      timeout: timing.attempt, bodyLimit: call.limit,
      signature: AWSSignature(
        accessKey: settings.accessKey, secretKey: settings.secretKey, region: settings.region,
        service: "s3"), connections: connections)
    let headers = [
      (name: "x-amz-content-sha256", value: hash),
      (name: "x-amz-date", value: S3Signature.time(clock.now())),
    ]
    let request = HTTPCall(
      call.method,
      settings.url(
        S3Signature.encoded(call.path, keeping: "/"), query: S3Signature.query(call.query)),
      headers: headers + call.headers, body: call.body, file: call.file)
    do throws(HTTPClientError) {
      let answer = try client.send(request)
      // A copy that fails after its first bytes is an error with the status 200.
      let code = answer.status == 404 ? nil : S3Document.errorCode(answer.body)
      if answer.status == 404 || 200..<300 ~= answer.status && code == nil {
        return .success(answer)
      }
      return .failure(Self.failure(answer.status, code ?? ""))
    } catch {
      var isSilence = false
      if case .unreachable = error { isSilence = true }
      return .failure(
        Failure(reason: error.description, isPassing: isSilence, isSilence: isSilence))
    }
  }

  private static func failure(_ status: Int, _ code: String) -> Failure {
    let hint =
      code == "RequestTimeTooSkewed" ? ": the clocks of this machine and of the store differ" : ""
    return Failure(
      reason: "answered \(status) \(code)\(hint)",
      isPassing: status >= 500 || status == 429 || status == 200)
  }

  /// The SHA-256 of the body, by which the store checks what arrived.
  private static func hash(of call: Call) throws(MediaError) -> String {
    guard let file = call.file else {
      return call.body.isEmpty ? emptyHash : Hex.text(Digests.sha256(call.body))
    }
    do {
      return Hex.text(try Digests.sha256(file: file))
    } catch {
      throw .failed("cannot read \(file): \(error)")
    }
  }
}
