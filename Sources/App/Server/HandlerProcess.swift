import CheckIn
import Dispatch
import FastCGI
import Foundation
import Glibc
import Jobs
import Live
import Logging
import Mail

/// Answers requests until asked to stop: `pairspot handlers`.
public enum HandlerProcess {
  /// As a plain CGI answers the one request of this process; else listens on the socket of
  /// process `number`, and with `takesOver` does so even though an older one still answers there.
  /// Throws what keeps the application from opening.
  public static func run(
    _ configuration: Configuration, number: Int, takesOver: Bool = false
  ) throws {
    var options = Instance.Options()
    if PlainCGI.isPlainCGI {
      options.lock = try Instance.makeFolders(configuration)
      options.requestLogDescriptor = configuration.requestLog(isPlainCGI: true)
      let instance = try Instance(configuration, options: options)
      try instance.features.checkIn.answered(now: instance.site.clock.now())
      let files = PlainCGIFiles(configuration)
      PlainCGI.run { FastCGIBridge.answer($0, with: instance.application, files: files) }
      return
    }
    let signals = StopSignals()
    options.requestLogDescriptor = configuration.requestLog()
    options.securityLogDescriptor = configuration.securityLog()
    options.logDescriptor = configuration.logDescriptor
    options.lock = try Instance.makeFolders(configuration)
    // Who asks while the application opens waits for it, instead of hearing that nobody is there;
    // while one takes over, the older one answers.
    let first = takesOver ? nil : try listen(configuration, number)
    let instance = try Instance(configuration, options: options)
    shareMetrics(instance)
    let server = try first ?? listen(configuration, number, takesOver: true)
    signals.onArrival { server.stop() }
    HandlersHeartbeat(instance).start()
    let application = instance.application
    let guardPrefix = try GuardPrefix.current(in: configuration.runFolder)
    server.run { FastCGIBridge.answer($0, with: application, guardPrefix: guardPrefix) }
  }

  private static func listen(
    _ configuration: Configuration, _ number: Int, takesOver: Bool = false
  ) throws -> FastCGIServer {
    try FastCGIServer(
      socketPath: configuration.socketPath(number), threads: configuration.threads,
      takesOver: takesOver)
  }

  /// Whichever process is asked for `/metrics` tells what all have counted.
  private static func shareMetrics(_ instance: Instance) {
    do {
      try instance.site.metrics.share(in: instance.configuration.runFolder)
    } catch {
      instance.site.logger.error("each process of handlers counts for itself: \(error)")
    }
  }
}

/// Says once a minute that requests are answered: an outage is known by its absence
/// (docs/developer/check-in.md#outages).
private struct HandlersHeartbeat {
  /// In s.
  private static let every: UInt32 = 60
  private let instance: Instance

  init(_ instance: Instance) {
    self.instance = instance
  }

  func start() {
    beat()
    Thread.detachNewThread { [self] in
      while true {
        sleep(Self.every)
        beat()
      }
    }
  }

  private func beat() {
    do {
      try instance.features.checkIn.beat(now: instance.site.clock.now())
    } catch {
      // A locked database or a full disk passes; the next beat says it again.
      instance.site.logger.error("heartbeat of the handlers: \(error)")
    }
  }
}

/// Does what waits until asked to stop: `pairspot worker`.
public enum WorkerProcess {
  /// With `once`, does what is due now and ends.
  public static func run(_ configuration: Configuration, once: Bool) throws {
    let signals = StopSignals()
    var options = Instance.Options()
    options.logDescriptor = configuration.logDescriptor
    let instance = try Instance(configuration, options: options)
    func worker(_ queue: JobQueue) -> Worker {
      Worker(
        store: instance.jobStore, kinds: instance.jobs, queue: queue, clock: instance.site.clock,
        logger: instance.site.logger)
    }
    let pump = LiveDispatcher(
      outbox: LiveOutbox(database: instance.database),
      sender: NchanSender(socket: configuration.liveSocketPath), clock: instance.site.clock,
      logger: instance.site.logger)
    if once {
      // What decides about alerts waits for nobody; mail that it queues goes with the others'.
      try worker(WorkerQueues.scan).runDue()
      try worker(WorkerQueues.everythingElse).runDue()
      try worker(WorkerQueues.mail).runDue()
      // Where nginx is down, or never runs, what is to be told waits, and grows old.
      try pump.drain()
      try instance.features.notices.pump.sendDue()
    } else {
      let beside = [worker(WorkerQueues.mail), worker(WorkerQueues.scan)]
      let others = worker(WorkerQueues.everythingElse)
      signals.onArrival {
        pump.stop()
        instance.features.notices.pump.stop()
        for one in beside { one.stop() }
        others.stop()
      }
      // A job may take minutes; people on the way shall hear of each other within a second.
      Thread.detachNewThread { pump.run() }
      instance.features.notices.pump.start()
      let ended = DispatchSemaphore(value: 0)
      for one in beside {
        Thread.detachNewThread {
          one.run()
          ended.signal()
        }
      }
      others.run()
      // A mail that is on its way is marked before the process ends, or would go out twice.
      for _ in beside { ended.wait() }
    }
  }
}

/// Who does which jobs beside whom.
enum WorkerQueues {
  static let all = [everythingElse, mail, scan]
  /// A mail server that never answers keeps mail waiting, and nobody else.
  static let mail = JobQueue.only(MailQueue.jobKind)
  /// An export, a video or a purge may take minutes; none keeps an alert waiting.
  static let scan = JobQueue.only(CheckInModule.scanJob)
  static let everythingElse = JobQueue.allBut(MailQueue.jobKind, CheckInModule.scanJob)
}

/// SIGTERM and SIGINT, blocked in every thread that starts after this and waited for on one.
struct StopSignals {
  private let set: sigset_t

  init() {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGTERM, SIGINT] { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    self.set = set
  }

  func onArrival(_ body: @escaping @Sendable () -> Void) {
    let set = set
    Thread.detachNewThread {
      var set = set
      var number: Int32 = 0
      sigwait(&set, &number)
      body()
    }
  }
}

extension Configuration {
  /// Where request lines go: a file in development, standard output in production, unless that is
  /// where a plain CGI answers.
  func requestLog(isPlainCGI: Bool = false) -> Int32 {
    guard isDevelopment || isPlainCGI else { return STDOUT_FILENO }
    return open("\(logFolder)/requests.log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
  }

  /// Where security events go: a file in development, standard output in production, where each
  /// line says `"log":"security"`.
  func securityLog() -> Int32 {
    guard isDevelopment else { return STDOUT_FILENO }
    return open("\(logFolder)/security.log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
  }

  /// Where handlers and worker write what else they have to say: standard output in production;
  /// standard error in development, which `serve` leads to a file of theirs (`logFile`).
  var logDescriptor: Int32 { isDevelopment ? STDERR_FILENO : STDOUT_FILENO }
}
