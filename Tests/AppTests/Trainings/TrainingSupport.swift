import Core
import Foundation
import Testing

@testable import App

extension TestClient {
  static let trainings = "/admin/trainings"

  /// Creates a draft with a stage of five minutes; returns the path of its admin page.
  @discardableResult
  func makeTraining(_ name: String, stages: Int = 1) throws -> String {
    let rows: [(String, String)] = (0..<stages).flatMap { index in
      [
        ("minutes_\(index + 1)", "5"), ("seconds_\(index + 1)", ""),
        ("target_\(index + 1)", "power"), ("value_\(index + 1)", "\(100 + index)"),
        ("text_\(index + 1)", "Easy legs"),
      ]
    }
    let answer = post(
      "\(Self.trainings)/new",
      all: [("name", name), ("description", "About \(name)"), ("difficulty", "easy")] + rows)
    try #require(answer.status == 303, "\(answer.text)")
    return try #require(answer.location)
  }

  /// The same, published.
  @discardableResult
  func publishTraining(_ name: String) throws -> String {
    let adminPage = try makeTraining(name)
    try #require(post(adminPage, ["button": "publish"]).status == 303)
    return adminPage
  }

  @discardableResult
  func sendCover(_ adminPage: String, _ bytes: [UInt8] = SmallPicture.png) -> TestResponse {
    upload("\(adminPage)/cover", [], files: [("file", bytes)])
  }

  @discardableResult
  func sendVideo(_ adminPage: String, _ bytes: [UInt8] = SmallFilm.mp4) -> TestResponse {
    upload("\(adminPage)/video", [], files: [("file", bytes)])
  }
}

extension String {
  /// Path of a training's public page, from its admin page.
  var asPeople: String {
    replacingOccurrences(of: "/admin/trainings", with: "/workouts/trainings")
  }

  /// Path of its files.
  var asMedia: String { replacingOccurrences(of: "/admin/", with: "/media/") }
}

/// An MP4 of 90 s, according to its boxes.
enum SmallFilm {
  static let mp4: [UInt8] = {
    let brand = box("ftyp", [Array("isom".utf8), number(512), Array("isommp41".utf8)])
    let length = box(
      "mvhd", [nothing(12), number(1000), number(90_000), nothing(80)])
    let handler = box("hdlr", [nothing(8), Array("vide".utf8), nothing(13)])
    let track = box("trak", [box("mdia", [handler])])
    return [brand, box("moov", [length, track]), box("mdat", [nothing(400)])].flatMap { $0 }
  }()

  private static func box(_ type: String, _ parts: [[UInt8]]) -> [UInt8] {
    let content = parts.flatMap { $0 }
    return number(content.count + 8) + Array(type.utf8) + content
  }

  private static func number(_ value: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(value).bigEndian, Array.init)
  }

  private static func nothing(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
