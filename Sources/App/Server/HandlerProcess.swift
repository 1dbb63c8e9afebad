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
  /// With plain CGI answers the one request of this process; otherwise listens on the socket of
  /// process `number`, with `takesOver` even if an older process still answers there. Throws the
  /// errors that keep the application from opening.
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
    // Listens before the application is open, so that clients wait instead of being refused. During
    // a takeover the older process answers until then.
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

  /// Shares the counters, so that any process answers `/metrics` with the totals of all.
  private static func shareMetrics(_ instance: Instance) {
    do {
      try instance.site.metrics.share(in: instance.configuration.runFolder)
    } catch {
      instance.site.logger.error(
        "metrics cannot be shared, each handler process counts separately: \(error)")
    }
  }
}

/// Records once a minute that requests are answered; a missing heartbeat means an outage
/// (docs/developer/check-in.md#outages). Also cares for the folders of this node, since a recurring
/// job runs on one node only.
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
    let now = instance.site.clock.now()
    do {
      try instance.features.checkIn.beat(now: now)
    } catch {
      // A locked database or a full disk is temporary; the next beat follows.
      instance.site.logger.error("handler heartbeat: \(error)")
    }
    instance.features.album.removeOldUploads(now)
    instance.features.workouts.removeOldArchives()
    instance.features.checkIn.removeOldRecordFiles()
    guard case .files = instance.configuration.tls else { return }
    do {
      try ServedCertificate(instance.configuration).install()
    } catch {
      instance.site.logger.error("certificate: \(error)")
    }
  }
}

/// Runs due jobs until asked to stop: `pairspot worker`.
public enum WorkerProcess {
  /// With `once`, runs the jobs that are due now and ends.
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
    let dispatcher = LiveDispatcher(
      outbox: LiveOutbox(database: instance.database),
      sender: NchanSender(socket: configuration.liveSocketPath), clock: instance.site.clock,
      logger: instance.site.logger)
    let channels = instance.features.checkIn.channelDispatcher
    if once {
      // The scan that decides about alerts comes first; the mail that it queues is sent with the
      // rest.
      try worker(WorkerQueues.scan).runDue()
      try worker(WorkerQueues.everythingElse).runDue()
      try worker(WorkerQueues.mail).runDue()
      // If nginx is down, or never runs, events stay queued and become outdated.
      try dispatcher.drain()
      try instance.features.notices.dispatcher.sendDue()
      try channels.sendDue()
    } else {
      let otherWorkers = [worker(WorkerQueues.mail), worker(WorkerQueues.scan)]
      let others = worker(WorkerQueues.everythingElse)
      signals.onArrival {
        dispatcher.stop()
        channels.stop()
        instance.features.notices.dispatcher.stop()
        for one in otherWorkers { one.stop() }
        others.stop()
      }
      // A job may take minutes, but members of a group must get live events within a second.
      Thread.detachNewThread { dispatcher.run() }
      instance.features.notices.dispatcher.start()
      let ended = DispatchSemaphore(value: 0)
      for one in otherWorkers {
        Thread.detachNewThread {
          one.run()
          ended.signal()
        }
      }
      Thread.detachNewThread {
        channels.run()
        ended.signal()
      }
      others.run()
      // A mail or message being sent is marked before the process ends, or it would be sent twice.
      for _ in 0...otherWorkers.count { ended.wait() }
    }
  }
}

/// The queues, each with a worker thread of its own.
enum WorkerQueues {
  static let all = [everythingElse, mail, scan]
  /// Mail has a worker of its own, so a hanging mail server blocks only mail.
  static let mail = JobQueue.only(MailQueue.jobKind)
  /// The check-in scan has a worker of its own, so an export, a video or a purge of minutes delays
  /// no alert.
  static let scan = JobQueue.only(CheckInModule.scanJob)
  static let everythingElse = JobQueue.allBut(MailQueue.jobKind, CheckInModule.scanJob)
}

/// SIGTERM and SIGINT, blocked in every thread that starts after this and awaited on one.
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
  /// The descriptor of the request log: a file in development, standard output in production,
  /// except with plain CGI, which answers there.
  func requestLog(isPlainCGI: Bool = false) -> Int32 {
    guard isDevelopment || isPlainCGI else { return STDOUT_FILENO }
    return open("\(logFolder)/requests.log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
  }

  /// The descriptor of the security log: a file in development, standard output in production,
  /// where each line has `"log":"security"`.
  func securityLog() -> Int32 {
    guard isDevelopment else { return STDOUT_FILENO }
    return open("\(logFolder)/security.log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
  }

  /// The descriptor of the general log of handlers and worker: standard output in production;
  /// standard error in development, which `serve` redirects to a file (`logFile`).
  var logDescriptor: Int32 { isDevelopment ? STDERR_FILENO : STDOUT_FILENO }
}
