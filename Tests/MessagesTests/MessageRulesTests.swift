import Core
import Testing

@testable import Messages

@Suite("The rules of messages")
struct MessageRulesTests {
  @Test("Muted hours may go over midnight, and the same minute twice is the whole day")
  func mutedHours() throws {
    let day = try #require(MutedHours(from: 9 * 60, to: 17 * 60))
    #expect(!day.contains(minute: 539) && day.contains(minute: 540))
    #expect(day.contains(minute: 1019) && !day.contains(minute: 1020))
    let night = try #require(MutedHours(from: 22 * 60, to: 7 * 60))
    for minute in [1320, 0, 419] { #expect(night.contains(minute: minute)) }
    #expect(!night.contains(minute: 420) && !night.contains(minute: 1319))
    let always = try #require(MutedHours.always)
    #expect(always.isAlways && always.contains(minute: 0) && always.contains(minute: 1439))
    #expect(MutedHours(from: -1, to: 0) == nil && MutedHours(from: 0, to: 1440) == nil)
    #expect(MutedHours.text(0) == "00:00" && MutedHours.text(1439) == "23:59")
  }

  @Test("A message has words or pictures, at most 4,000 characters and nine pictures")
  func limits() {
    func errors(_ text: String, _ pictures: Int) -> Set<String> {
      Set(MessageRules.errors(text: text, pictures: pictures, isRequest: false).keys)
    }
    #expect(errors("", 0) == ["text"] && errors("", 1) == [] && errors("a", 0) == [])
    let long = String(repeating: "你", count: 4000)
    #expect(errors(long, 0) == [] && errors(long + "好", 0) == ["text"])
    #expect(errors("a", 9) == [] && errors("a", 10) == ["pictures"])
    #expect(errors("See https://example.test", 0) == [])
  }

  @Test("A voice note needs no words, and comes without pictures and not with a request")
  func voice() {
    func errors(_ text: String, pictures: Int = 0, isRequest: Bool = false) -> [String: String] {
      MessageRules.errors(text: text, pictures: pictures, hasVoice: true, isRequest: isRequest)
        .mapValues(\.key)
    }
    #expect(errors("") == [:] && errors("Words") == [:])
    #expect(errors("", pictures: 1) == ["voice": "error.voice_pictures"])
    #expect(errors("Words", isRequest: true) == ["voice": "error.message_voice"])
  }

  @Test(
    "A request has neither links nor pictures",
    arguments: ["See https://example.test", "http://a.test", "Look at WWW.example.test"])
  func requests(_ text: String) {
    #expect(
      MessageRules.errors(text: text, pictures: 0, isRequest: true)["text"]?.key
        == "error.message_link")
    let errors = MessageRules.errors(text: "Hello, shall we walk?", pictures: 1, isRequest: true)
    #expect(Set(errors.keys) == ["pictures"])
    #expect(MessageRules.errors(text: "Hello.", pictures: 0, isRequest: true).isEmpty)
  }

  @Test("An excerpt is one line of at most 120 characters")
  func excerpt() {
    #expect(MessageRules.excerpt(of: " Two\n\n lines ") == "Two lines")
    let long = MessageRules.excerpt(of: String(repeating: "a ", count: 200))
    #expect(long.count <= 121 && long.hasSuffix("…"))
  }

  @Test("A search finds all words, whole or as parts, without case and accents")
  func needle() {
    let needle = MessageNeedle("CAFÉ sta")
    #expect(needle.isIn("The café at the Station") && needle.isIn("Cafe, stairs"))
    #expect(!needle.isIn("The café") && !needle.isIn("Station"))
    #expect(MessageNeedle("車站").isIn("我們在車站見") && !MessageNeedle("車站").isIn("車和站"))
    #expect(MessageNeedle(" \n").isEmpty)
  }

  @Test("A message can be edited for 15 minutes and deleted for a day, by its author only")
  func periods() {
    let start = Instant(milliseconds: 1_772_409_600_000)
    func message(isOwn: Bool, trace: Message.Trace? = nil) -> Message {
      Message(
        id: ID(now: start), conversation: ID(now: start), number: 1, version: 1,
        author: ID(now: start), avatar: Viewer.Avatar(name: "Ann", avatar: nil), isOwn: isOwn,
        text: "Words", trace: trace, isHidden: false, quote: nil,
        answersMoment: false, pictures: [], voice: nil, reactions: [], createdAt: start,
        editedAt: nil, clientID: nil)
    }
    let own = message(isOwn: true)
    #expect(own.mayEdit(now: start.adding(seconds: 899)))
    #expect(!own.mayEdit(now: start.adding(seconds: 900)))
    #expect(own.mayDelete(now: start.adding(seconds: .days(1) - 1)))
    #expect(!own.mayDelete(now: start.adding(seconds: .days(1))))
    #expect(!message(isOwn: false).mayEdit(now: start) && message(isOwn: false).mayReport)
    #expect(!message(isOwn: true, trace: .deleted).mayDelete(now: start) && !own.mayReport)
  }

  @Test("No push comes for two minutes after reading; a clock that was set back starts none")
  func readingPeriod() {
    let start = Instant(milliseconds: 1_772_409_600_000)
    let end = start.adding(seconds: 120)
    #expect(MessageRules.endOfReading(since: start, now: start) == end)
    #expect(MessageRules.endOfReading(since: start, now: start.adding(seconds: 119)) == end)
    #expect(MessageRules.endOfReading(since: start, now: end) == nil)
    #expect(MessageRules.endOfReading(since: end, now: start) == nil)
  }
}
