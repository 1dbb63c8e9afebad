/// How long browsers and caches may keep a picture (docs/developer/feed.md#pictures).
public enum MediaCaching {
  /// The `Cache-Control` of a picture. Names are never reused, so public pictures are kept for
  /// good; all others are not stored.
  public static func header(forAll: Bool) -> String {
    forAll ? "public, max-age=31536000, immutable" : "private, no-store"
  }
}
