/// The same page with string interpolation, as written without templates.
enum Interpolation {
  static func page(_ feed: FeedView) -> String {
    """
    <!doctype html>
    <html lang="\(escape(feed.language))">
    <head>
      <meta charset="utf-8">
      <title>Feed · \(escape(feed.name))</title>
    </head>
    <body>
    <main>
    <h1>Hello \(escape(feed.name)), what&#39;s new?</h1>
    \(feed.posts.map { post($0, token: feed.token) }.joined())\
    \(feed.posts.isEmpty ? "<p>Nothing yet.</p>\n" : "")\
    </main>
    </body>
    </html>

    """
  }

  private static func post(_ post: PostView, token: String) -> String {
    """
      <article class="post" id="post-\(escape(post.id))">
        <header>
          <a class="author" href="/people/\(escape(post.author.handle))">\(escape(post.author.name))</a>
          <time datetime="\(escape(post.time))">\(escape(post.day))</time>
    \(post.own ? "      <a class=\"edit\" href=\"/posts/\(escape(post.id))/edit\">Edit</a>\n" : "")\
        </header>
        <p class="words">\(escape(post.words))</p>
    \(post.pictures.map { picture($0) }.joined())\
        <footer>
          <form method="post" action="/posts/\(escape(post.id))/like">
            <input type="hidden" name="csrf_token" value="\(escape(token))">
            <button class="like\(post.liked ? " on" : "")">\(grouped(post.likes)) \(post.likes == 1 ? "like" : "likes")</button>
          </form>
          <ul class="comments">
    \(post.comments.map { comment($0) }.joined())\
          </ul>
        </footer>
      </article>

    """
  }

  private static func picture(_ picture: PictureView) -> String {
    """
        <img src="/media/\(escape(picture.file))" width="\(picture.width)" height="\(picture.height)" alt="\(escape(picture.description))" loading="lazy">

    """
  }

  private static func comment(_ comment: CommentView) -> String {
    """
            <li><b>\(escape(comment.author))</b> \(escape(comment.words))</li>

    """
  }

  private static func grouped(_ number: Int) -> String {
    number < 1_000
      ? "\(number)" : "\(number / 1_000),\(String(number % 1_000 + 1_000).dropFirst())"
  }

  /// Copies only if there is something to escape.
  private static func escape(_ text: String) -> String {
    guard text.utf8.contains(where: { entity(for: $0) != nil }) else { return text }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(text.utf8.count + 32)
    for byte in text.utf8 {
      if let entity = entity(for: byte) {
        escaped.append(contentsOf: entity.utf8)
      } else {
        escaped.append(byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  private static func entity(for byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    default: nil
    }
  }
}
