import Templates

struct FeedView: View {
  let language: String
  let name: String
  let token: String
  let posts: [PostView]

  static let fields: [String: Field<Self>] = [
    "language": .text(\.language),
    "name": .text(\.name),
    "token": .text(\.token),
    "posts": .list(\.posts),
  ]
}

struct PostView: View {
  let id: String
  let author: AuthorView
  let time: String
  let day: String
  let words: String
  let own: Bool
  let liked: Bool
  let likes: Int
  let pictures: [PictureView]
  let comments: [CommentView]

  static let fields: [String: Field<Self>] = [
    "id": .text(\.id),
    "author": .child(\.author),
    "time": .text(\.time),
    "day": .text(\.day),
    "words": .text(\.words),
    "own": .flag(\.own),
    "liked": .flag(\.liked),
    "likes": .integer(\.likes),
    "pictures": .list(\.pictures),
    "comments": .list(\.comments),
  ]
}

struct AuthorView: View {
  let handle: String
  let name: String

  static let fields: [String: Field<Self>] = ["handle": .text(\.handle), "name": .text(\.name)]
}

struct PictureView: View {
  let file: String
  let width: Int
  let height: Int
  let description: String

  static let fields: [String: Field<Self>] = [
    "file": .text(\.file),
    "width": .integer(\.width),
    "height": .integer(\.height),
    "description": .text(\.description),
  ]
}

struct CommentView: View {
  let author: String
  let words: String

  static let fields: [String: Field<Self>] = ["author": .text(\.author), "words": .text(\.words)]
}

extension FeedView {
  /// Twenty posts in English and Chinese: some 22 KB of HTML.
  ///
  /// Created for each call, so that threads share no strings, as requests do not.
  static func sample() -> FeedView {
    FeedView(
      language: "en", name: "Mei & Jun", token: "4f0b1a7d6c5e49a2b3c8d7e6f5a4b3c2d1e0f9a8",
      posts: (0..<20).map { number in
        PostView(
          id: "0190b2c4-7f1e-7c3a-9d2b-\(100_000_000_000 + number)",
          author: AuthorView(
            handle: "mei-\(number)", name: number % 2 == 0 ? "Mei 陳美" : "Jun O'Hara"),
          time: "2026-03-0\(number % 9 + 1)T08:30:00Z", day: "\(number + 1) March 2026",
          words: number % 2 == 0
            ? "We walked up to the \"Lion's Head\" before sunrise & had breakfast there. <3 Next week: the harbour, if the weather holds."
            : "今天天還沒亮就出門，爬上獅頭山看日出，然後在山頂吃早餐。下星期想去港邊走走，希望天氣好一點。有人要一起來嗎？",
          own: number % 4 == 0, liked: number % 3 == 0, likes: number * 317 % 2_400,
          pictures: (0..<number % 3).map {
            PictureView(
              file: "0190b2c4-7f1e-7c3a-9d2b-\($0)/800.jpg", width: 800, height: 600,
              description: "日出 from the top")
          },
          comments: (0..<number % 4).map {
            CommentView(author: $0 == 0 ? "Sam" : "美美", words: "Looks great, 我也要去！ See you there.")
          })
      })
  }
}
