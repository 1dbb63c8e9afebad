import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

/// Visits every URL as every viewer and records which marks each viewer saw where.
struct CanaryVisits {
  struct Sighting: Hashable {
    let mark: CanaryMark
    let viewer: CanaryViewer
  }

  let fixture: CanaryWorld
  let addresses: [CanaryAddress]
  /// Routes without a known URL.
  let missing: [String]
  /// The first occurrence of each sighting.
  private(set) var sightings: [Sighting: String] = [:]
  /// Languages in which each route has answered with a page.
  private(set) var languages: [String: Set<String>] = [:]
  private let viewers: [(viewer: CanaryViewer, browser: TestClient)]
  /// The URLs requested by each viewer, by route, and whether they were shown.
  private var met: [CanaryViewer: [String: [(address: CanaryAddress, wasShown: Bool)]]] = [:]
  /// Marks found in each file that was sent.
  private var files: [String: Set<CanaryMark>] = [:]

  init(_ fixture: CanaryWorld) throws {
    self.fixture = fixture
    (addresses, missing) = fixture.allAddresses()
    var viewers: [(CanaryViewer, TestClient)] = fixture.browsers
      .sorted { $0.key.rawValue < $1.key.rawValue }.map { (.person($0.key), $0.value) }
    viewers += [
      (.nobody, fixture.instance.browser()), (.contact(of: .ann), fixture.instance.browser()),
      (.contact(of: .wes), fixture.instance.browser()),
      (.contact(of: .gia), fixture.instance.browser()),
    ]
    self.viewers = viewers
  }

  /// All viewers visit all URLs in English. Then, in reverse order, some of each route again, both
  /// shown and refused ones, to detect data cached between visits. Then twice some of the shown
  /// ones in each other language, in which only texts can differ.
  mutating func exercise() throws {
    for (viewer, browser) in viewers {
      for address in addresses where isTried(address, by: viewer) {
        let wasShown = visit(address, as: viewer, browser, in: "en")
        remember(address, wasShown, of: viewer)
      }
    }
    for (viewer, browser) in viewers.reversed() {
      for address in some(of: viewer, shown: true) + some(of: viewer, shown: false) {
        visit(address, as: viewer, browser, in: "en")
      }
    }
    for language in ["zh-Hant", "zh-Hans"] {
      try fixture.execute("UPDATE users SET language = \(language) WHERE role > 0")
      for order in [viewers, viewers.reversed()] {
        for (viewer, browser) in order {
          for address in some(of: viewer, shown: true) {
            visit(address, as: viewer, browser, in: language)
          }
        }
      }
    }
  }

  /// Viewers who aren't staff are refused at all staff pages alike: one URL of each route is
  /// enough.
  private func isTried(_ address: CanaryAddress, by viewer: CanaryViewer) -> Bool {
    if let holder = address.holder { return holder == viewer }
    switch viewer {
    case .contact: return false
    case .person(.moe), .person(.ora): return true
    default:
      return !address.pattern.hasPrefix("/admin")
        || met[viewer]?[address.pattern]?.isEmpty != false
    }
  }

  private mutating func remember(
    _ address: CanaryAddress, _ wasShown: Bool, of viewer: CanaryViewer
  ) {
    met[viewer, default: [:]][address.pattern, default: []].append((address, wasShown))
  }

  /// At most three URLs of each route.
  private func some(of viewer: CanaryViewer, shown: Bool) -> [CanaryAddress] {
    met[viewer, default: [:]].sorted { $0.key < $1.key }.flatMap { pattern, all in
      pattern.hasPrefix("/media/")
        ? [] : all.filter { $0.wasShown == shown }.prefix(3).map(\.address)
    }
  }

  /// Returns whether a page was shown.
  @discardableResult
  private mutating func visit(
    _ address: CanaryAddress, as viewer: CanaryViewer, _ browser: TestClient, in language: String
  ) -> Bool {
    // Cookies set by an answer are dropped, so all viewers stay as they were at the start.
    var headers: HTTPFields = [.host: TestInstance.host, .acceptLanguage: language]
    if !browser.cookies.isEmpty {
      headers[.cookie] = browser.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
    }
    let answer = fixture.instance.instance.application.respond(
      to: Request(
        method: .get, target: address.path, headers: headers, peer: browser.peer,
        id: "r-\(UUID())", contentLength: 0, body: BytesBody([])))
    let isFigures = ["/metrics", "/healthz"].contains(address.pattern)
    // Measured times have random digits, which may be those of a mark.
    let body =
      isFigures
      ? Array(
        String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
          .filter { !$0.contains("_seconds_sum{") }.joined(separator: "\n").utf8) : answer.body
    note(
      (answer.status.code, answer.headers, body), at: address.path,
      for: isFigures ? .logs : viewer, in: language)
    guard answer.status == .ok else { return isFigures }
    languages[address.pattern, default: []].insert(language)
    return true
  }

  /// Records the marks in an answer: its body, headers and file.
  mutating func note(
    _ answer: (status: Int, headers: HTTPFields, body: [UInt8]), at address: String,
    for viewer: CanaryViewer, in language: String = "en"
  ) {
    let place = "\(address) (\(answer.status), \(language))"
    note(answer.body, asked: address, at: place, for: viewer)
    let headers = answer.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    note(Array(headers.utf8), asked: address, at: place, for: viewer)
    if let path = answer.headers[.accelRedirect] {
      note(marks(inFile: path), at: place, for: viewer)
    }
  }

  mutating func note(_ answer: TestResponse, at address: String, for viewer: CanaryViewer) {
    note((answer.status, answer.headers, answer.body), at: address, for: viewer)
  }

  /// Marks in the content and name of a file that nginx would send.
  private mutating func marks(inFile path: String) -> Set<CanaryMark> {
    if let known = files[path] { return known }
    let name = path.dropFirst("/protected-media/".count)
    let file = "\(fixture.instance.instance.configuration.mediaFolder)/\(name)"
    let bytes = FileManager.default.contents(atPath: file).map(Array.init) ?? []
    #expect(!bytes.isEmpty, "\(path)")
    let found = fixture.finder.marks(in: bytes).union(fixture.finder.marks(in: Array(path.utf8)))
    files[path] = found
    return found
  }

  mutating func note(
    _ bytes: [UInt8], asked: String = "", at place: String, for viewer: CanaryViewer
  ) {
    note(fixture.finder.marks(in: bytes, asked: asked), at: place, for: viewer)
  }

  mutating func note(_ marks: Set<CanaryMark>, at place: String, for viewer: CanaryViewer) {
    for mark in marks {
      let sighting = Sighting(mark: mark, viewer: viewer)
      if sightings[sighting] == nil { sightings[sighting] = place }
    }
  }
}
