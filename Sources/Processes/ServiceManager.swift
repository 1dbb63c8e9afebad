import Csystemd

/// Notices to systemd, if it started this process and waits for them (sd_notify(3)).
public enum ServiceManager {
  /// Tells that the service has started; `status` is a line for `systemctl status`.
  public static func ready(status: String) { notify("READY=1\nSTATUS=\(status)") }

  /// Tells that the service is about to end.
  public static func stopping() { notify("STOPPING=1") }

  /// Tells that the service works, for its watchdog.
  static func beat() { notify("WATCHDOG=1") }

  /// The time in s between two beats; nil without a watchdog. A third of the time after which
  /// systemd ends the service.
  static var beatInterval: Double? {
    var timeout: UInt64 = 0
    guard sd_watchdog_enabled(0, &timeout) > 0 else { return nil }
    return Double(timeout) / 3_000_000
  }

  private static func notify(_ state: String) { sd_notify(0, state) }
}
