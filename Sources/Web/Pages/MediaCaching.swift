/// How long browsers and caches may keep a picture (docs/developer/feed.md#pictures).
public enum MediaCaching {
  /// Names are never used twice, so what everybody may see stays for good; the rest is kept by
  /// nobody.
  public static func header(forAll: Bool) -> String {
    forAll ? "public, max-age=31536000, immutable" : "private, no-store"
  }
}
