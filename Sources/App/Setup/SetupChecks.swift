import Cglibc
import Core
import HTTPClient

/// The check list of `pairspot setup`: what works, and what to do where something does not.
public struct SetupChecks {
  /// One line of the list.
  public struct Line: Sendable, Equatable {
    /// How a check ended.
    public enum State: String, Sendable {
      case good = "ok"
      /// It can't be seen from here, or may be meant.
      case unsure = "look"
      case missing = "missing"
    }

    public let state: State
    public let subject: String
    public let text: String
  }

  private let configuration: Configuration
  var records = DomainRecords()
  var resolve: @Sendable (String) -> [String] = PublicAddress.resolve
  var ownAddresses: @Sendable () -> Set<String> = { OwnAddresses.all() }
  var isClockSynchronized: @Sendable () -> Bool = {
    var time = timex()
    return ntp_adjtime(&time) >= 0 && time.status & STA_UNSYNC == 0
  }

  public init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// All lines, in the order in which they are best mended.
  public func lines() -> [Line] {
    [clock(), disk(), domain()] + ports() + sender() + [health()]
  }

  private func clock() -> Line {
    isClockSynchronized()
      ? Line(state: .good, subject: "clock", text: "synchronized")
      : Line(
        state: .missing, subject: "clock",
        text: "is not synchronized: install systemd-timesyncd or chrony, and wait a minute")
  }

  private func disk() -> Line {
    let disks = DiskSpaceMonitor(configuration)
    let free = "\(disks.freeBytes >> 30) GiB free"
    guard let shortage = disks.shortages.first else {
      return disks.freeBytes >> 30 >= 2
        ? Line(state: .good, subject: "disk", text: free)
        : Line(state: .unsure, subject: "disk", text: "only \(free): pictures need more with time")
    }
    return Line(
      state: .missing, subject: "disk", text: "\(shortage): make room, or use another disk")
  }

  private func domain() -> Line {
    let (host, own) = (configuration.hostName, ownAddresses())
    let addresses = resolve(host)
    let list = addresses.joined(separator: ", ")
    if addresses.isEmpty {
      return Line(
        state: .missing, subject: "DNS",
        text: "\(host) leads nowhere: add an A record, and an AAAA record if the server has IPv6, "
          + "at the provider of the domain")
    }
    if !own.isDisjoint(with: addresses) {
      return Line(state: .good, subject: "DNS", text: "\(host) leads to this server (\(list))")
    }
    return Line(
      state: .unsure, subject: "DNS",
      text: "\(host) leads to \(list), which is no address of this server: right behind a proxy or "
        + "a router that forwards ports, otherwise change its A and AAAA records")
  }

  // MARK: The sender's domain

  private func sender() -> [Line] {
    let domain = configuration.from.domain
    do {
      return [
        try mailServers(of: domain), try policy(of: domain), try dmarc(of: domain),
        Line(
          state: .unsure, subject: "DKIM",
          text: "send a test mail to a mailbox of yours with pairspot mail test: its header "
            + "Authentication-Results should say dkim=pass"),
      ]
    } catch {
      return [
        Line(
          state: .unsure, subject: "mail",
          text: "no name server answers about \(domain): check /etc/resolv.conf")
      ]
    }
  }

  private func mailServers(of domain: String) throws -> Line {
    try records.takesMail(domain)
      ? Line(state: .good, subject: "MX", text: "\(domain) takes mail")
      : Line(
        state: .missing, subject: "MX",
        text: "\(domain) takes no mail, so replies and bounces are lost: add an MX record, or send "
          + "from an address that has a mailbox (FROM_EMAIL)")
  }

  private func policy(of domain: String) throws -> Line {
    let policies = try records.texts(of: domain).filter { $0.lowercased().hasPrefix("v=spf1") }
    switch policies.count {
    case 1: return Line(state: .good, subject: "SPF", text: policies[0])
    case 0:
      return Line(
        state: .missing, subject: "SPF",
        text: "\(domain) does not say who may send its mail: add a TXT record like v=spf1 mx -all, "
          + "with what your mail provider names")
    default:
      return Line(
        state: .missing, subject: "SPF",
        text: "\(domain) has \(policies.count) TXT records with v=spf1, which makes all of them "
          + "invalid (RFC 7208, section 4.5): join them into one")
    }
  }

  /// The policy of the domain itself or of a domain above it (RFC 7489, section 6.6.3), without a
  /// list of public suffixes.
  private func dmarc(of domain: String) throws -> Line {
    var labels = domain.split(separator: ".")
    while labels.count > 1 {
      let name = "_dmarc.\(labels.joined(separator: "."))"
      if let text = try records.texts(of: name).first(where: { $0.hasPrefix("v=DMARC1") }) {
        return Line(state: .good, subject: "DMARC", text: text)
      }
      labels.removeFirst()
    }
    return Line(
      state: .missing, subject: "DMARC",
      text: "large mail providers refuse mail without it: add a TXT record at _dmarc.\(domain) "
        + "like v=DMARC1; p=none")
  }

  // MARK: The server

  private func ports() -> [Line] {
    let url = "https://\(configuration.host)/healthz"
    let answer = answer(url)
    let https: Line
    switch answer {
    case .success:
      https = Line(state: .good, subject: "https", text: "\(configuration.baseURL) answers")
    case .failure(.untrusted(let reason)):
      https = Line(
        state: .missing, subject: "https",
        text: "\(configuration.baseURL) has no certificate that browsers trust (\(reason)): run "
          + "pairspot certificate renew, which says why")
    case .failure(let error):
      https = Line(
        state: .missing, subject: "https",
        text: "\(configuration.baseURL) does not answer (\(error)): open port "
          + "\(configuration.port) in the firewall of the server and of its provider")
    }
    guard let port = configuration.redirectPort else { return [https] }
    let plain = "http://\(configuration.hostName):\(port)/"
    guard case .failure(let error) = self.answer(plain) else {
      return [https, Line(state: .good, subject: "http", text: "port \(port) leads to https")]
    }
    return [
      https,
      Line(
        state: .missing, subject: "http",
        text:
          "\(plain) does not answer (\(error)): open port \(port) in the firewall of the server "
          + "and of its provider"),
    ]
  }

  private func answer(_ url: String) -> Result<HTTPAnswer, HTTPClientError> {
    Result { () throws(HTTPClientError) in
      try HTTPClient(timeout: 10).send(HTTPCall("GET", url))
    }
  }

  private func health() -> Line {
    guard let problem = HealthQuery(configuration).problem() else {
      return Line(state: .good, subject: "service", text: "runs, and /healthz finds no problem")
    }
    return Line(
      state: .missing, subject: "service",
      text: "\(problem): see systemctl status pairspot and docs/operator/troubleshooting.md")
  }
}
