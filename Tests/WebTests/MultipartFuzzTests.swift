import Foundation
import Testing

@testable import Web

/// Mutated bodies: the reader must parse or reject them, never crash, and leave no file behind.
///
/// `FUZZ_SECONDS` sets the duration; without it a fixed number of rounds runs. `FUZZ_SEED` repeats
/// a run.
@Suite("Mutated forms")
struct MultipartFuzzTests {
  /// SplitMix64: the same numbers for the same seed.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      return z ^ z >> 31
    }
  }

  private static let tokens: [[UInt8]] =
    [
      "\r\n", "\r", "\n", "--X", "--X--", "\r\n--X\r\n", "\r\n--X--", "\r\n\r\n", "--", "\"", "\\",
      ";", "=", ":", "%22", "%", "name=", "filename=\"\"", "Content-Disposition: form-data; name=a",
      "Content-Type: text/plain", "\0", " ", "X",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80]]

  private static let seeds: [[UInt8]] = [
    Body.field("csrf_token", "abc") + Body.field("content", "早安") + Body.end,
    Body.field("a", "1") + Body.file("images", "a.jpg", Array(0...255)) + Body.field("b", "2")
      + Body.end,
    Body.file("images", "", []) + Body.file("images", "b", Array(repeating: 0x0D, count: 300))
      + Body.end + Array("epilogue".utf8),
    Array("preamble\r\n".utf8) + Body.file("f", "x", Array("\r\n--\r\n--Y".utf8)) + Body.end,
  ]

  private static func mutate(_ body: inout [UInt8], _ numbers: inout Numbers) {
    for _ in 0..<Int.random(in: 1...6, using: &numbers) {
      let place = Int.random(in: 0...body.count, using: &numbers)
      let end = min(body.count, place + Int.random(in: 0...40, using: &numbers))
      switch Int.random(in: 0..<6, using: &numbers) {
      case 0: body.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
      case 1: body.removeSubrange(place..<end)
      case 2: body.insert(contentsOf: tokens.randomElement(using: &numbers) ?? [], at: place)
      case 3: body.insert(contentsOf: body[place..<end], at: place)
      case 4: body.removeSubrange(place...)
      default:
        guard place < body.count else { continue }
        body[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
      }
    }
  }

  /// Result of a body: fields and the sizes of files, or the error.
  private static func outcome(
    _ body: [UInt8], chunk: Int, _ folder: MultipartFolder
  ) throws -> String {
    do {
      let limits = MultipartLimits(files: 2, fileBytes: 280, allFilesBytes: 400)
      let form = try folder.read(body, chunk: chunk, limits: limits)
      for file in form.files where !file.tooLarge {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        #expect(size == file.bytes)
      }
      return "\(form.pairs) \(form.files.map { [$0.fileName, "\($0.bytes)"] })"
    } catch let error as FormError {
      return "\(error)"
    }
  }

  @Test("Every body is read alike in any pieces or refused, and no file stays")
  func mutated() throws {
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["FUZZ_SECONDS"].flatMap(Double.init)
    let seed =
      environment["FUZZ_SEED"].flatMap(UInt64.init)
      ?? (seconds == nil ? 1 : UInt64.random(in: 0 ... .max))
    let deadline = Date(timeIntervalSinceNow: seconds ?? 0)
    let folder = try MultipartFolder()
    var numbers = Numbers(state: seed)
    var round = 0
    while seconds == nil ? round < 3000 : Date() < deadline {
      round += 1
      var body = Self.seeds[round % Self.seeds.count]
      Self.mutate(&body, &numbers)
      let whole = try Self.outcome(body, chunk: .max, folder)
      let chunk = Int.random(in: 1...9, using: &numbers)
      let pieces = try Self.outcome(body, chunk: chunk, folder)
      #expect(whole == pieces, "seed \(seed), round \(round), pieces of \(chunk)")
      #expect(folder.names == [], "seed \(seed), round \(round)")
    }
    #expect(round > 0)
  }

  @Test("Every simple form is read or refused")
  func simpleForms() throws {
    var numbers = Numbers(state: 2)
    for _ in 0..<5000 {
      let bytes = (0..<Int.random(in: 0...60, using: &numbers)).map { _ in
        let usual = Array("a=&%+2F;".utf8)
        return Bool.random(using: &numbers)
          ? usual.randomElement(using: &numbers) ?? 0 : UInt8.random(in: 0...255, using: &numbers)
      }
      do {
        let fields = try FormDecoding.decode(bytes)
        #expect(fields.count <= bytes.count)
      } catch {
        #expect(error == .malformed)
      }
    }
  }
}
