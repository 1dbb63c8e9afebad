import Core
import Testing

@testable import Mail

@Suite("Processing bounces")
struct BounceHandlerTests {
  private let office: FakeMailServer

  init() throws { office = try FakeMailServer() }

  private func take(_ text: String, for address: String? = nil) throws -> BounceHandler.Outcome {
    try BounceHandler(office.queue, observers: [office.observer])
      .take(Array(text.utf8), for: address, now: office.clock.now())
  }

  private func sent() throws -> (ID<QueuedMail>, String) {
    let id = try office.add()
    try office.work()
    return (id, office.queue.returnAddress.make(for: id).description)
  }

  private var notes: [String] {
    get throws { try office.observer.words(in: office.database) }
  }

  @Test("The observer gets it once, by the address in the header or the given one")
  func noted() throws {
    let (id, address) = try sent()
    for named in [nil, address, "<\(address.uppercased())>", " \(address)\n"] {
      guard case .noted(id, _) = try take(BounceSamples.exim(to: address), for: named) else {
        Issue.record("\(named ?? "header")")
        continue
      }
    }
    #expect(try notes == ["sent", "bounced: 5.0.0 550 5.1.1 … User doesn't exist"])
  }

  @Test("Its description contains no address")
  func nobody() throws {
    let (_, address) = try sent()
    for text in [
      BounceSamples.postfix(to: address), BounceSamples.gmail(to: address),
      BounceSamples.vacation(to: address), BounceSamples.postfix(to: "lin@dest.example"),
    ] {
      let words = "\(try take(text))"
      #expect(!words.contains("@") && !words.contains("\n"), "\(words)")
    }
  }

  @Test("A foreign or forged address is ignored, with any message")
  func forged() throws {
    let (_, address) = try sent()
    let forged = address.replacing("@", with: "a@")
    for to in ["home@pairspot.example", "lin@dest.example", forged, "", "<>"] {
      guard case .ignored = try take(BounceSamples.postfix(to: to)) else {
        Issue.record("\(to)")
        continue
      }
      // The given return address counts, not the one in the message.
      guard case .ignored = try take(BounceSamples.postfix(to: address), for: to) else {
        Issue.record("named \(to)")
        continue
      }
    }
    #expect(try notes == ["sent"])
  }

  @Test("A signed address without a failure for good changes nothing")
  func ignored() throws {
    let (_, address) = try sent()
    for text in [
      BounceSamples.postfix(to: address, action: "delayed", status: "4.4.1"),
      BounceSamples.vacation(to: address), BounceSamples.reply(to: address),
    ] {
      guard case .ignored = try take(text) else {
        Issue.record("\(text.prefix(100))")
        continue
      }
    }
    #expect(try notes == ["sent"])
    #expect(try office.results() == ["sent": 1])
  }
}
