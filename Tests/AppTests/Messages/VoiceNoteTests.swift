import Core
import Database
import Foundation
import HTTPTypes
import Messages
import Testing

@testable import App

@Suite("Voice notes in messages")
struct VoiceNoteTests {
  /// A WAV file with a tone.
  private static func tone(seconds: Int) -> [UInt8] {
    let samples = 8000 * seconds
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    var file = Array("RIFF".utf8)
    file += bytes(UInt32(36 + 2 * samples))
    file += Array("WAVEfmt ".utf8)
    file += bytes(UInt32(16))
    // PCM of one channel, 8,000 samples of 16 bits a second.
    file += bytes(UInt16(1))
    file += bytes(UInt16(1))
    file += bytes(UInt32(8000))
    file += bytes(UInt32(16_000))
    file += bytes(UInt16(2))
    file += bytes(UInt16(16))
    file += Array("data".utf8)
    file += bytes(UInt32(2 * samples))
    for place in 0..<samples { file += bytes(Int16(place % 40 < 20 ? 9000 : -9000)) }
    return file
  }

  /// Gives a message a voice note of 4.2 s in place of its words, not encrypted.
  private func plant(_ message: String, _ instance: TestInstance) throws -> String {
    let (id, voice) = (try #require(ID<Int>(message)), ID<Int>.random())
    let conversation = try instance.database.read {
      try $0.value("SELECT conversation_id FROM messages WHERE id = \(id)", as: ID<Int>.self)
    }
    let folder = URL(
      filePath: "\(instance.instance.configuration.mediaFolder)/messages/"
        + "\(try #require(conversation))/\(message)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data([1, 2, 3]).write(to: folder.appending(path: "voice_\(voice).m4a"))
    try instance.database.write {
      try $0.execute(
        """
        UPDATE messages SET voice_id = \(voice), voice_milliseconds = 4200, text_sealed = NULL
        WHERE id = \(id)
        """)
    }
    return "voice_\(voice).m4a"
  }

  private func stored(in instance: TestInstance) throws -> Set<String> {
    try instance.mediaFiles().filter { $0.hasPrefix("messages/") }
  }

  @Test(
    "A voice note is stored as AAC, alone or with words, and goes with its message",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")))
  func sent() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let sent = scenario.ann.message("", to: id, client: "a-1", voice: Self.tone(seconds: 2))
    #expect(sent.status == 201, "\(sent.text)")
    let voice = try #require(sent.json["voice"] as? [String: Any])
    let length = try #require(voice["milliseconds"] as? Int)
    #expect(1900...2200 ~= length)
    let url = try #require(voice["url"] as? String)
    let path = String(url.dropFirst("http://\(TestInstance.host)".count))
    for client in [scenario.ann, scenario.ben, scenario.cy] {
      let answer = client.get(path)
      #expect(answer.status == 200 && answer.headers[.contentType] == "audio/mp4")
      #expect(answer.body.dropFirst(4).starts(with: Array("ftyp".utf8)))
    }
    #expect(scenario.sam.get(path).status == 404)
    let file = try #require(try stored(in: scenario.instance).first)
    #expect(file.hasSuffix(".m4a.sealed"))
    let bytes = try Data(
      contentsOf: URL(
        filePath: "\(scenario.instance.instance.configuration.mediaFolder)/\(file)"))
    #expect(bytes.range(of: Data("ftyp".utf8)) == nil)
    let again = scenario.ann.message("", to: id, client: "a-1", voice: Self.tone(seconds: 2))
    #expect(again.json["id"] as? String == sent.json["id"] as? String)
    #expect(scenario.cy.message("Listen", to: id, voice: Self.tone(seconds: 1)).status == 201)
    #expect(try stored(in: scenario.instance).count == 2)
    let message = try #require(sent.json["id"] as? String)
    #expect(scenario.ann.call(.delete, "/conversations/\(id)/messages/\(message)").status == 204)
    #expect(scenario.cy.get(path).status == 404)
    #expect(try stored(in: scenario.instance).count == 1)
    let kept = try #require(try stored(in: scenario.instance).first)
    let files = try scenario.instance.purge(scenario.instance.person("Cy"))
    #expect(files.contains { kept.hasPrefix($0) })
  }

  @Test(
    "A voice note that is too long or no sound is refused with its error, and leaves no file",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")))
  func refused() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let long = scenario.ann.message("Words", to: id, voice: Self.tone(seconds: 123))
    #expect(long.status == 422 && long.fieldErrors["voice"] != nil)
    let broken = scenario.ann.message("Words", to: id, voice: [1, 2, 3])
    #expect([415, 422].contains(broken.status) && broken.fieldErrors["voice"] != nil)
    #expect(try stored(in: scenario.instance) == [])
    #expect(scenario.ann.messages(of: id) == [])
  }

  @Test("Without ffmpeg the form offers none, and an upload is refused with the words kept")
  func unavailable() throws {
    let scenario = try MessageScenario(hasFilmPrograms: false)
    let id = try scenario.ann.coupleID()
    #expect(!scenario.ann.get("/messages/\(id)").shows("name=\"voice\""))
    let call = scenario.ann.message("Words", to: id, voice: Self.tone(seconds: 1))
    #expect(call.status == 503 && call.fieldErrors["voice"] != nil)
    let form = scenario.ann.upload(
      "/messages/\(id)", [("client_id", "a-1"), ("text", "Hello")],
      files: [(field: "voice", bytes: Self.tone(seconds: 1))])
    #expect(form.status == 503 && form.shows(">Hello</textarea>"))
    #expect(form.shows("This server doesn’t take voice notes."))
    #expect(scenario.ann.messages(of: id) == [])
  }

  @Test("A voice note comes neither with pictures nor with a request")
  func alone() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let both = scenario.ann.message(
      "", to: id, pictures: [SmallPicture.png], voice: Self.tone(seconds: 1))
    #expect(both.status == 422 && both.fieldErrors["voice"] != nil)
    let couple = "/couples/\(try scenario.cy.coupleID())/message"
    #expect(!scenario.ann.get(couple).shows("name=\"voice\""))
    let asked = scenario.ann.upload(
      couple, [("client_id", "a-1"), ("text", "Hello")],
      files: [(field: "voice", bytes: Self.tone(seconds: 1))])
    #expect(asked.status == 422 && asked.shows("voice_note"))
    #expect(asked.shows(">Hello</textarea>"))
  }

  @Test("It is shown with its length, in the list and in answers, and played on request only")
  func shown() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    let message = try #require(scenario.ann.message("Words", to: id).json["id"] as? String)
    let file = try plant(message, scenario.instance)
    let path = "/media/messages/\(id)/\(message)/\(file)"
    let answer = scenario.ben.message("An answer", to: id, quoted: message)
    #expect((answer.json["quoted"] as? [String: Any])?["has_voice"] as? Bool == true)
    let page = scenario.ben.get("/messages/\(id)")
    #expect(page.shows("<audio controls preload=\"none\" src=\"\(path)\""))
    #expect(page.shows("Voice note, 0:04") && !page.shows("autoplay"))
    #expect(page.text.matches(of: /<span>Voice note<\/span>/).count == 1)
    #expect(scenario.ben.get(path).status == 200 && scenario.cy.get(path).status == 404)
    scenario.instance.clock.advance(seconds: 1)
    let last = try #require(scenario.ann.message("More", to: id).json["id"] as? String)
    _ = try plant(last, scenario.instance)
    #expect(scenario.ann.get("/messages").shows("You: Voice note"))
  }

  @Test("A push says that it is a voice note only to who wants the content shown")
  func pushes() throws {
    let scenario = try MessageScenario()
    let id = try scenario.ann.coupleID()
    scenario.ann.subscribe()
    let first = try #require(scenario.ben.message("Words", to: id).json["id"] as? String)
    _ = try plant(first, scenario.instance)
    #expect(try scenario.instance.pushed().map(\.body) == ["Ben wrote to you."])
    scenario.ann.call(.put, "/conversations/\(id)/read", "{}")
    scenario.instance.clock.advance(seconds: 120)
    scenario.ann.call(.patch, "/conversations/settings", #"{"shows_content":true}"#)
    let second = try #require(scenario.ben.message("Words", to: id).json["id"] as? String)
    _ = try plant(second, scenario.instance)
    #expect(try scenario.instance.pushed().map(\.body) == ["Ben: Voice note"])
  }

  @Test("Moderators hear a reported voice note, and see that there are others around it")
  func reported() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let moderator = try scenario.instance.moderator()
    let around = try #require(scenario.cy.message("Around", to: id).json["id"] as? String)
    let bad = try #require(scenario.ann.message("Words", to: id).json["id"] as? String)
    let other = try plant(around, scenario.instance)
    let file = try plant(bad, scenario.instance)
    let path = "/media/messages/\(id)/\(bad)/\(file)"
    #expect(moderator.get(path).status == 404)
    #expect(scenario.cy.report("/messages/\(id)/\(bad)").status == 303)
    let page = moderator.get(try scenario.instance.onlyCase(moderator))
    #expect(page.shows("src=\"\(path)\"") && page.shows("Voice note, 0:04"))
    #expect(page.text.matches(of: /<br>Voice note</).count == 2)
    #expect(moderator.get(path).status == 200)
    #expect(moderator.get("/media/messages/\(id)/\(around)/\(other)").status == 404)
    // It stays for them when its author deletes it, and goes 30 days after the decision.
    scenario.ann.call(.delete, "/conversations/\(id)/messages/\(bad)")
    #expect(moderator.get(path).status == 200)
    #expect(moderator.decide(try scenario.instance.onlyCase(moderator), "hide").status == 303)
    scenario.instance.clock.advance(seconds: 31 * 86_400)
    try scenario.instance.work()
    #expect(
      try scenario.instance.count("SELECT count(*) FROM messages WHERE voice_id IS NOT NULL") == 1)
  }

  @Test("Its file is known to backups and the doctor, and is in the export of its author only")
  func named() throws {
    let scenario = try MessageScenario()
    let id = try scenario.talking()
    let message = try #require(scenario.ann.message("Words", to: id).json["id"] as? String)
    let file = try plant(message, scenario.instance)
    let (ann, cy) = (try scenario.instance.person("Ann"), try scenario.instance.person("Cy"))
    let participant = scenario.instance.instance.features.messages.participant
    try scenario.instance.database.read { reader in
      let named = try MessagesModule.namedFiles.flatMap { try $0.find(reader) }
      #expect(named.contains("messages/\(id)/\(message)/\(file)"))
      let media = try participant.exportedMedia(of: ann, from: reader)
      #expect(media.map(\.name) == ["voice-notes/messages/\(message).m4a"])
      #expect(try participant.exportedMedia(of: cy, from: reader).isEmpty)
      let json = try #require(participant.export(ann, from: reader).first?.json)
      #expect(String(decoding: json, as: UTF8.self).contains("\"milliseconds\" : 4200"))
    }
  }
}
